(* Bound threads in the report of a deadlock. The last thread that blocks is one, so it is found on that one's OS thread. *)
val c : int CML.chan = CML.channel ()
fun wait () = ignore (CML.recv c)
val () = print "waiting\n"
val () = Thread.ready (Thread.new wait)
val () = List.app Thread.ready (List.tabulate (3, fn _ => Thread.bound wait))
val () = wait ()
