(* A signal that has come and is not served is the parent's alone: POSIX, "the set of signals pending for the child process
   shall be initialized to the empty set". The child's handler was called, too: so a server's handler of SIGCHLD waited for
   children in a process that has none. *)

structure P = Posix.Process

val count = ref 0
val handler = Signals.HANDLER (fn (_, _, k) => (count := !count + 1; k))

(* what `f` does, and then a fork, while this signal is masked: whether the parent and the child are told of it *)
fun told (name, signal, f) =
  let
    val mask = Signals.MASK [signal]
    val () = count := 0
    val old = Signals.setHandler (signal, handler)
    val () = Signals.maskSignals mask
    val () = f ()
  in
    case P.fork () of
      NONE =>
        (Signals.unmaskSignals mask;
         OS.Process.sleep (Time.fromMilliseconds 5);
         P.exit (Word8.fromInt (!count)))
    | SOME pid =>
        let
          val child = #2 (P.waitpid (P.W_CHILD pid, []))
          fun wait () =
            if !count > 0 then () else (OS.Process.sleep (Time.fromMilliseconds 1); wait ())
        in
          Signals.unmaskSignals mask;
          wait ();
          ignore (Signals.setHandler (signal, old));
          print
            (name ^ ": the parent" ^ (if child = P.W_EXITED then "\n" else " and the child\n"))
        end
  end

val () =
  told
    ("usr1", UnixSignals.sigUSR1, fn () =>
       P.kill (P.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.usr1))
val () =
  told
    ("chld", UnixSignals.sigCHLD, fn () =>
       case P.fork () of
         NONE => P.exit 0w0
       | SOME pid => ignore (P.waitpid (P.W_CHILD pid, [])))
