(* Those who wait for the end of a thread are told when it ends by an exception: a field of its properties was laid out before
   the function that the runtime calls, and the program crashed. *)
open CML
exception Over
fun raising ms = spawn (fn () => (sync (timeOutEvt (Time.fromMilliseconds ms)); raise Over))
val () = sync (joinEvt (raising 1))
val () = List.app (fn t => sync (joinEvt t)) (List.tabulate (20, fn i => raising (Int.toLarge (i mod 3))))
(* after it has ended, twice, and one of two *)
val t = raising 0
val () = sync (timeOutEvt (Time.fromMilliseconds 5))
val () = (sync (joinEvt t); sync (joinEvt t))
val () = select [joinEvt (raising 2), wrap (recvEvt (channel ()), fn () => print "received\n")]
val () = print "joined\n"
