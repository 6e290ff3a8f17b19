(* The result of `within` is NONE if the function went on behind its time, whether it computed, was shielded or caught Cancelled. *)

(* Of the processor's time, too: where other processes have it, the clock alone would be over at once. *)
fun busy () =
  let
    val (real, cpu) = (Timer.startRealTimer (), Timer.startCPUTimer ())
    val enough = Time.fromMilliseconds 60
    fun isOver () = Time.> (Timer.checkRealTimer real, enough) andalso Time.> (#usr (Timer.checkCPUTimer cpu), enough)
    fun go n = if isOver () then n else go (n + 1)
  in
    go 0
  end
fun pause () = OS.Process.sleep (Time.fromMilliseconds 60)
fun show (name, f) =
  print (name ^ ": " ^ (case Scope.within (Time.fromMilliseconds 20) f of SOME _ => "SOME" | NONE => "NONE") ^ "\n")
val () = show ("computes", fn _ => ignore (busy ()))
val () = show ("shielded", fn _ => Scope.shield pause)
val () = show ("cleans up and catches", fn _ => pause () handle Scope.Cancelled => Scope.shield pause)
val () = show ("computes, then a fork that has ended", fn s => (busy (); ignore (Scope.fork s (fn () => ()))))
val () = show ("in a fork", fn s => ignore (CML.sync (Scope.fork s busy)))
