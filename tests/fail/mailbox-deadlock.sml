(* A mailbox with a bound that nobody empties: the report says what the threads wait for, and where it was made. *)
val box : int Mailbox.mbox = Mailbox.bounded 2
val other : int Mailbox.mbox = Mailbox.bounded 1

fun produce n = (Mailbox.send (box, n); produce (n + 1))
fun both () =
  (Mailbox.send (other, 1);
   CML.sync (Mailbox.sendEvt (other, 2));
   print "never\n")

val () = ignore (CML.spawn both)
val () = print "begins\n"
val () = produce 1
