(* Threads that share a port of a multicast channel: each message goes to the one that has waited for the longest time. At
   each message all others were moved to the next cell, so n threads and n messages took the square of n. *)
open CML
fun ms n = Time.fromMilliseconds n
fun check name b = print (name ^ (if b then " ok\n" else " WRONG\n"))
(* until all others are blocked *)
fun settle () = (sync (timeOutEvt (ms 2)); if Thread.stat 9 = 0 then () else settle ())
val results : (int * int) Mailbox.mbox = Mailbox.mailbox ()
fun waiter (i, event) = (ignore (spawn (fn () => Mailbox.send (results, (i, sync event)))); settle ())
fun gather n =
  let
    val found = List.tabulate (n, fn _ => Mailbox.recv results)
  in
    List.tabulate (n, fn i => Option.map #2 (List.find (fn (j, _) => i = j) found))
  end

val channel : int Multicast.mchan = Multicast.mChannel ()
val shared = Multicast.port channel
val own = Multicast.port channel
fun multicast n = Multicast.multicast (channel, n)
fun messages l = map SOME l

val () = app (fn i => waiter (i, Multicast.recvEvt shared)) [0, 1, 2, 3, 4]
val () = app multicast [10, 11]
val () = waiter (5, Multicast.recvEvt shared)
val () = app multicast [12, 13, 14, 15]
val () = check "who waits longest" (gather 6 = messages [10, 11, 12, 13, 14, 15])
val () = check "another port" (List.tabulate (6, fn _ => Multicast.recv own) = [10, 11, 12, 13, 14, 15])

(* some give up before others come *)
fun briefly event = choose [event, wrap (timeOutEvt (ms 1), fn () => ~1)]
val () = app (fn i => waiter (i, briefly (Multicast.recvEvt shared))) [0, 1]
val () = check "nothing came" (gather 2 = messages [~1, ~1])
val () = multicast 20
val () = check "for who comes later" (Multicast.recv shared = 20 andalso Multicast.recv own = 20)
val () = app (fn i => waiter (i, choose [Multicast.recvEvt shared, wrap (never, fn () => 0)])) [0, 1]
val () = app (fn i => waiter (i, Multicast.recvEvt own)) [2]
val () = app multicast [21, 22]
val () = check "two ports" (gather 3 = messages [21, 22, 21])

(* ports at which nobody waits any more, and one among them at which somebody does *)
fun glance () = ignore (sync (briefly (Multicast.recvEvt (Multicast.port channel))))
fun glances n = if n = 0 then () else (glance (); glances (n - 1))
val () = glances 10
val () = waiter (0, Multicast.recvEvt shared)
val () = glances 30
val () = waiter (1, Multicast.recvEvt shared)
val () = app multicast [23, 24]
val () = check "among ports that were left" (gather 2 = messages [23, 24])
