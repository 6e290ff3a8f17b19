(* The result of `within` is NONE if the function went on behind its time, whether it computed, was shielded or caught Cancelled. *)

fun busy () =
  let
    val t = Timer.startRealTimer ()
    fun go n = if Time.> (Timer.checkRealTimer t, Time.fromMilliseconds 60) then n else go (n + 1)
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
