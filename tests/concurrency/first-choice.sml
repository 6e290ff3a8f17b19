(* A planted mistake behind a choice: a server is told to end while a job is there, and takes either; the author has
   only seen that the job comes first. The choice took the same event with every seed, so no seed showed it. *)
open CML
val jobs : int Mailbox.mbox = Mailbox.mailbox ()
val ends : unit Mailbox.mbox = Mailbox.mailbox ()
val () = (Mailbox.send (jobs, 1); Mailbox.send (ends, ()))
val counted = select [wrap (Mailbox.recvEvt ends, fn () => 0), Mailbox.recvEvt jobs]
val () = print ("counted " ^ Int.toString counted ^ "\n")
val () = if counted = 1 then () else OS.Process.exit OS.Process.failure
