(* A stream over a channel is closed while a thread of an event that was not chosen reads: closeIn had waited for that
   thread. *)
fun after ms x = CML.wrap (CML.timeOutEvt (Time.fromMilliseconds ms), fn () => x)
val ch : string CML.chan = CML.channel ()
val s = TextIO.openChanIn ch
val () = print (CML.select [TextIO.inputEvt s, after 50 "nothing came"] ^ "\n")
val () = TextIO.closeIn s
val () = print "closed\n"
(* the thread that read is gone: it takes nothing that comes later *)
val _ = CML.spawn (fn () => CML.send (ch, "for the receiver"))
val () = print (CML.recv ch ^ "\n")
