(* Posix.Process.pause in a program without handlers waits for a signal that ends it, and is no deadlock. *)
val () =
  case Posix.Process.fork () of
    NONE => (Posix.Process.pause (); Posix.Process.exit 0w0)
  | SOME pid =>
      (OS.Process.sleep (Time.fromMilliseconds 50);
       Posix.Process.kill (Posix.Process.K_PROC pid, Posix.Signal.term);
       case Posix.Process.waitpid (Posix.Process.W_CHILD pid, []) of
         (_, Posix.Process.W_EXITSTATUS 0w1) => print "deadlock\n"
       | (_, Posix.Process.W_EXITSTATUS 0w143) => print "SIGTERM\n"
       | (_, Posix.Process.W_SIGNALED s) => print (if s = Posix.Signal.term then "SIGTERM\n" else "another signal\n")
       | _ => print "another end\n")
