(* Finalizers of several threads each run once: the list of them had no lock, and a third was lost. *)
structure F = MLton.Finalizable
val (threads, each) = (4, 20000)
val hasRun = Array.array (threads * each, false)
(* Exit functions run last registered first: this one comes behind that of the finalizers. *)
val () =
  OS.Process.atExit (fn () =>
    print ("made " ^ Int.toString (threads * each) ^ ", run "
           ^ Int.toString (Array.foldl (fn (yes, n) => if yes then n + 1 else n) 0 hasRun) ^ "\n"))
fun work thread =
  let
    fun go 0 = ()
      | go i = (F.addFinalizer (F.new (thread * each + i - 1), fn k => Array.update (hasRun, k, true)); go (i - 1))
  in
    go each
  end
val ts = List.tabulate (threads, fn k => CML.spawn (fn () => work k))
val () = app (fn t => CML.sync (CML.joinEvt t)) ts
