(* Under RunCML a deadlock of its function is reported, and is a failure of the program that ran. (Once the function has
   returned, threads that stay blocked are no news: tests/concurrency/doit.) *)
open CML
val ch : int chan = channel ()
fun main () =
  (ignore (spawn (fn () => ignore (recv ch)));
   ignore (SyncVar.iGet (SyncVar.iVar () : int SyncVar.ivar)))
val status = RunCML.doit (main, NONE)
val () = TextIO.print "after\n"
val () = OS.Process.exit status
