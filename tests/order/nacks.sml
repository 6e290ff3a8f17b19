(* Negative acknowledgements happen in the order in which the events were offered, as in SML/NJ: those of the inner events
   had come in the opposite order, and the last ones of a choice before the first ones. (A machine that stands still for some
   milliseconds must not change it: each thread is waiting before the next event is offered.) *)
open CML
val lostOnes : string Mailbox.mbox = Mailbox.mailbox ()
fun quiet () = if Thread.stat 9 = 0 then () else (yield (); quiet ())
fun nack name event =
  withNack (fn lost => (ignore (spawn (fn () => (sync lost; Mailbox.send (lostOnes, name)))); quiet (); event))
fun show () = case Mailbox.recvPoll lostOnes of NONE => print "\n" | SOME name => (print (name ^ " "); show ())
fun settle () = (sync (timeOutEvt (Time.fromMilliseconds 2)); if Thread.stat 9 = 0 then () else settle ())
fun try events = (print (Int.toString (select events) ^ ": "); settle (); show ())
val ch : int chan = channel ()
val () = try [nack "a" (choose [nack "b" (recvEvt ch), nack "c" (alwaysEvt 1)]), nack "d" never,
              nack "e" (choose [nack "f" never, nack "g" (recvEvt ch)])]
val () = try [nack "a" (nack "b" (nack "c" never)), wrap (timeOutEvt (Time.fromMilliseconds 1), fn () => 2), nack "d" never]
