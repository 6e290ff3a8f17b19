(* With one worker: a child runs at once; a sender goes on when its receiver blocks or yields. *)
open CML
(* the child runs at once *)
val () = ignore (spawn (fn () => print "child\n"))
val () = print "parent\n"
val u : unit chan = channel ()
val () = ignore (spawn (fn () => (send (u, ()); print "sent\n")))
val () = (recv u; yield (); print "received\n")
