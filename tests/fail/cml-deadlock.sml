(* Under RunCML a deadlock is reported, and is a failure of the program that ran. *)
open CML
val ch : int chan = channel ()
fun main () =
  (ignore (spawn (fn () => ignore (recv ch)));
   ignore (spawn (fn () => ignore (SyncVar.iGet (SyncVar.iVar () : int SyncVar.ivar)))))
val status = RunCML.doit (main, NONE)
val () = TextIO.print "after\n"
val () = OS.Process.exit status
