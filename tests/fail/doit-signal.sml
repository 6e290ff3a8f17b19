(* A signal that ends a program under RunCML.doit ends it cleanly: the cleaners of CML run, then the functions of atExit.
   Only the latter had. *)
fun say text _ = print (text ^ "\n")
val () = OS.Process.atExit (say "registered before")
val _ = RunCML.addCleaner ("cleaner", [RunCML.AtShutdown], fn _ => (OS.Process.sleep (Time.fromMilliseconds 5); say "cleaner" ()))
val _ = RunCML.logServer ("server", say "server starts", say "server stops")
fun main () =
  (OS.Process.atExit (say "registered inside");
   Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.term);
   OS.Process.sleep (Time.fromSeconds 100))
(* once it is over, they have run *)
val _ = RunCML.doit (fn () => RunCML.shutdown OS.Process.success, NONE)
val _ = RunCML.doit (main, NONE)
val () = print "came back\n"
