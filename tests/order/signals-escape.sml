(* With one worker: a handler that gives another continuation than the one that it got. The program goes on there, and not
   where it was. *)
val pid = Posix.ProcEnv.getpid ()
fun raise' () = Posix.Process.kill (Posix.Process.K_PROC pid, Posix.Signal.usr1)
fun forever n = forever (n + 1)
val escapes = ref 0
fun escaping 0 = ()
  | escaping n =
      (SMLofNJ.Cont.callcc (fn out =>
         (ignore (Signals.setHandler (UnixSignals.sigUSR1, Signals.HANDLER (fn _ => out)));
          raise' ();
          forever 0));
       escapes := !escapes + 1;
       escaping (n - 1))
val () = escaping 3
val () = print ("escaped " ^ Int.toString (!escapes) ^ " times\n")
(* and its own: the loop goes on until the handler has run *)
val seen = ref false
val _ = Signals.setHandler (UnixSignals.sigUSR1, Signals.HANDLER (fn (_, _, k) => (seen := true; k)))
val () = raise' ()
fun until () = if !seen then () else until ()
val () = until ()
val () = print "went on\n"
(* the interrupted one is kept, and thrown to later *)
val kept : unit SMLofNJ.Cont.cont option ref = ref NONE
val count = ref 0
val () =
  SMLofNJ.Cont.callcc (fn out =>
    (ignore (Signals.setHandler (UnixSignals.sigUSR1, Signals.HANDLER (fn (_, _, k) => (kept := SOME k; out))));
     raise' ();
     while not (!seen andalso !count > 0) do ();
     print "back where it was\n";
     OS.Process.exit OS.Process.success))
val () = count := 1
val () = print "elsewhere\n"
val () = SMLofNJ.Cont.throw (valOf (!kept)) ()
