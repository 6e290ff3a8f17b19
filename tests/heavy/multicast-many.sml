(* Very many threads at one port of a multicast channel, and as many messages: that took the square of their number, minutes
   for so many. *)
open CML
val n = 100000
val channel : int Multicast.mchan = Multicast.mChannel ()
val port = Multicast.port channel
val box = Mailbox.mailbox ()
fun reader _ = ignore (spawn (fn () => Mailbox.send (box, Multicast.recv port)))
fun times (f, n) = if n = 0 then () else (f n; times (f, n - 1))
val () = times (reader, n)
val () = times (fn i => Multicast.multicast (channel, i), n)
fun sum (0, s) = s
  | sum (k, s) = sum (k - 1, s + Mailbox.recv box)
val () = print (Bool.toString (sum (n, 0) = n * (n + 1) div 2) ^ "\n")
