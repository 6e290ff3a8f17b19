(* The result of `within` is NONE if the function went on behind its time, whether it computed, was shielded or caught Cancelled. *)

val ms = Time.fromMilliseconds
val long = Time.fromSeconds 3600
(* Of the processor's time, too: where other processes have it, the clock alone would be over at once. *)
fun busy time =
  let
    val (real, cpu) = (Timer.startRealTimer (), Timer.startCPUTimer ())
    val enough = ms time
    fun isOver () =
      Time.> (Timer.checkRealTimer real, enough)
      andalso let val {usr, sys} = Timer.checkCPUTimer cpu in Time.> (Time.+ (usr, sys), enough) end
    fun go n = if isOver () then n else go (n + 1)
  in
    go 0
  end
fun pause time = OS.Process.sleep (ms time)
(* What cancels is a thread, too: where the kernel gives its processor to another program, the function may be back
   before it has cancelled. Then the result is kept. So the function goes on for longer the next time. *)
fun show (name, f) =
  let
    fun go time =
      case Scope.within (ms 20) (fn scope => f (scope, time)) of
        NONE => "NONE"
      | SOME _ => if time > 5000 then "SOME" else go (2 * time)
  in
    print (concat [name, ": ", go 60, "\n"])
  end
val () = show ("computes", fn (_, time) => ignore (busy time))
val () = show ("shielded", fn (_, time) => Scope.shield (fn () => pause time))
val () = show ("cleans up and catches",
               fn (_, time) => OS.Process.sleep long handle Scope.Cancelled => Scope.shield (fn () => pause time))
val () = show ("computes, then a fork that has ended",
               fn (s, time) => (busy time; ignore (Scope.fork s (fn () => ()))))
val () = show ("in a fork", fn (s, time) => ignore (CML.sync (Scope.fork s (fn () => busy time))))
