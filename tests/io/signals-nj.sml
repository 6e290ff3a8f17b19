(* Signals as SML/NJ has them: actions, masks that nest, the interval timer, pause, collections.
   setHandler and overrideHandler were exchanged, so that a handler for a signal that was ignored at the start had no effect;
   the handler of sigGC was never called. *)

fun say s = print (s ^ "\n")
structure S = UnixSignals
val me = Posix.Process.K_PROC (Posix.ProcEnv.getpid ())
val ch = CML.channel ()
fun handler name = S.HANDLER (fn (s, _, k) => (CML.send (ch, name ^ " " ^ S.toString s); k))
fun nameOf S.IGNORE = "ignore"
  | nameOf S.DEFAULT = "default"
  | nameOf (S.HANDLER _) = "handler"

val () = say (nameOf (S.setHandler (S.sigUSR1, handler "first")))
val () = Posix.Process.kill (me, Posix.Signal.usr1)
val () = say (CML.recv ch)
val () = say (nameOf (S.inqHandler S.sigUSR1))
val () = say (nameOf (S.setHandler (S.sigUSR1, S.IGNORE)))
val () = say (nameOf (S.overrideHandler (S.sigUSR1, handler "no")) ^ " stays " ^ nameOf (S.inqHandler S.sigUSR1))
val () = Posix.Process.kill (me, Posix.Signal.usr1)
val () = say (nameOf (S.setHandler (S.sigUSR1, handler "second")))
val () = say (nameOf (S.overrideHandler (S.sigUSR1, handler "second")))

val () = (S.maskSignals (S.MASK [S.sigUSR1]); S.maskSignals S.MASKALL)
val () = say (case S.masked () of S.MASKALL => "all" | S.MASK l => Int.toString (length l))
val () = Posix.Process.kill (me, Posix.Signal.usr1)
fun look () = CML.select [CML.recvEvt ch, CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 5), fn () => "nothing")]
val () = say (look ())
val () = S.unmaskSignals S.MASKALL
val () = say (look ())
val () = S.unmaskSignals (S.MASK [S.sigUSR1])
val () = say (CML.recv ch)

val () = ignore (S.setHandler (S.sigALRM, handler "timer"))
val () = SMLofNJ.IntervalTimer.setIntTimer (SOME (Time.fromMilliseconds 3))
val () = (say (CML.recv ch); say (CML.recv ch))
val () = SMLofNJ.IntervalTimer.setIntTimer NONE
val done = ref false
val over = ref false
(* Until the pause is over: one that comes between the look and the pause does not end the pause. *)
fun prod () =
  if !over then ()
  else (OS.Process.sleep (Time.fromMilliseconds 10); Posix.Process.kill (me, Posix.Signal.usr2); prod ())
val () = ignore (S.setHandler (S.sigUSR2, S.HANDLER (fn (_, _, k) => (done := true; k))))
val _ = CML.spawn prod
fun wait () = if !done then (over := true; say "paused") else (S.pause (); wait ())
val () = wait ()

(* Collections, not at other times than asked for: under stress there are more. *)
val collections = ref 0
val () = say (nameOf (S.setHandler (S.sigGC, S.HANDLER (fn (_, _, k) => (collections := !collections + 1; k)))))
fun collected n = if !collections > n then () else (OS.Process.sleep (Time.fromMilliseconds 1); collected n)
(* until no handler runs *)
fun settle () = (OS.Process.sleep (Time.fromMilliseconds 1); if Thread.stat 9 = 0 then () else settle ())
fun collect () = let val n = !collections in SMLofNJ.Internals.GC.doGC 3; collected n end
val () = (collect (); collect (); say "collected")
val () = S.maskSignals (S.MASK [S.sigGC])
val () = settle ()
val n = !collections
val () = SMLofNJ.Internals.GC.doGC 3
val () = settle ()
val () = say (if !collections = n then "held back" else "not held back")
val () = (S.unmaskSignals (S.MASK [S.sigGC]); collected n)
val () = say (nameOf (S.setHandler (S.sigGC, S.DEFAULT)))
val () = settle ()
val n = !collections
val () = SMLofNJ.Internals.GC.doGC 3
val () = settle ()
val () = say (if !collections = n then "no more" else "still called")
val () = OS.Process.exit OS.Process.success
