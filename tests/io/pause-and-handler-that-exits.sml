(* Posix.Process.pause returns after a signal was handled, also by a handler that says CML.exit or gives another
   continuation. *)
fun me s = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), s)
(* A signal that comes before the wait is none for it: again and again, until the thread is over. *)
fun until (t, again) =
  if CML.select [CML.wrap (CML.joinEvt t, fn () => true),
                 CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 20), fn () => false)]
  then ()
  else (again (); until (t, again))
val () =
  MLton.Signal.setHandler (Posix.Signal.usr1, MLton.Signal.Handler.simple (fn () => CML.exit ()))
val () =
  until (CML.spawn (fn () => (Posix.Process.pause (); print "paused 1\n")), fn () => me Posix.Signal.usr1)
val paused = CML.spawn (fn () => (Signals.pause (); print "paused 2\n"))
fun other () =
  SMLofNJ.Cont.callcc (fn k =>
    (ignore (Signals.setHandler (UnixSignals.sigUSR2, Signals.HANDLER (fn _ => k)));
     me Posix.Signal.usr2;
     CML.exit ()))
val () = until (paused, fn () => ignore (CML.spawn other))
val () = print "end\n"
