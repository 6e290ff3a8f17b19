(* race: a message goes from here to there, but what was done there before it was received is not known here. A collection
   moves everything in between. *)
open CML
val ch : int chan = channel ()
val cell = ref [1]
val _ = spawn (fn () => (cell := [2]; MLton.GC.collect (); recv ch; ()))
val box = Mailbox.mailbox () : int Mailbox.mbox
val () = Mailbox.send (box, 1)
val () = MLton.GC.collect ()
val () = print (Int.toString (hd (!cell)) ^ "\n")
val () = send (ch, 1)
