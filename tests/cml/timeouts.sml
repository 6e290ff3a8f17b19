(* Time-outs: never early, at once when past, cancelled with their choice. Their order: order/time-outs-in-order. *)
open CML
fun ms n = Time.fromMilliseconds (LargeInt.fromInt n)
fun say s = print (s ^ "\n")
fun check name b = say (name ^ (if b then " ok" else " WRONG"))

val clock = Timer.startRealTimer ()
val () = sync (timeOutEvt (ms 20))
val () = check "not early" (Time.>= (Timer.checkRealTimer clock, ms 20))

val () = sync (timeOutEvt Time.zeroTime)
val () = sync (atTimeEvt (Time.- (Time.now (), ms 1000)))
val () = say "at once ok"
val later : int chan = channel ()
val () = check "zero is enabled" (select [wrap (timeOutEvt Time.zeroTime, fn () => 1), recvEvt later] = 1)
val moment = Time.+ (Time.now (), ms 10)
val () = sync (atTimeEvt moment)
val () = check "atTimeEvt not early" (Time.>= (Time.now (), moment))

(* the span counts from each synchronisation *)
val e = timeOutEvt (ms 10)
val () = sync (timeOutEvt (ms 15))
val clock = Timer.startRealTimer ()
val () = sync e
val () = check "from the synchronisation" (Time.>= (Timer.checkRealTimer clock, ms 10))

(* One that lost does not disturb what comes after. Where the sender comes too late, it loses the next time. *)
val c : int chan = channel ()
val _ = spawn (fn () => send (c, 1))
fun lost () = select [wrap (timeOutEvt (ms 20), fn () => 0), recvEvt c] = 1 orelse lost ()
val () = check "lost" (lost ())
val () = check "undisturbed" (select [wrap (timeOutEvt (ms 60), fn () => 2), recvEvt c] = 2)

(* two of one choice: the earlier *)
fun hour () = timeOutEvt (Time.fromSeconds 3600)
val () = check "earlier" (select [wrap (hour (), fn () => 1), wrap (timeOutEvt (ms 5), fn () => 2)] = 2)

(* so long that the clock overflows *)
val () = check "for ever" (select [wrap (timeOutEvt (Time.fromSeconds 9000000000), fn () => 1),
                                   wrap (timeOutEvt (ms 1), fn () => 2)] = 2)

(* several of one choice, and something else that is to be cancelled: none stays behind, whoever wins *)
fun choice winner = [hour (), wrap (hour (), fn () => ()), winner, hour ()]
val before' = Leat.Count.timers ()
val reply : unit chan = channel ()
val _ = spawn (fn () => (select (choice (recvEvt reply)); sync (choose (choice (recvEvt reply))); send (reply, ())))
val () = (send (reply, ()); send (reply, ()); recv reply)
val () = check "cancelled by a message" (Leat.Count.timers () = before')
val () = (select (choice (timeOutEvt (ms 1))); sync (choose (choice (timeOutEvt (ms 1)))))
val () = check "cancelled by the earliest" (Leat.Count.timers () = before')
