(* Posix.Process.pause returns after a signal was handled, also by a handler that says CML.exit. *)
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
  until (CML.spawn (fn () => (Posix.Process.pause (); print "paused\n")), fn () => me Posix.Signal.usr1)
val () = print "end\n"
