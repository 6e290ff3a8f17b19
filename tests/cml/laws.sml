(* The laws of events: what sync chooses, when guards, wrappers and acknowledgements run. *)
open CML

val ms = fn n => Time.fromMilliseconds (LargeInt.fromInt n)
fun say s = print (s ^ "\n")
fun check name b = say (name ^ (if b then " ok" else " WRONG"))

(* alwaysEvt, wrap, nested choices *)
val () = check "always" (sync (alwaysEvt 3) = 3)
val () = check "wrap" (sync (wrap (wrap (alwaysEvt 3, fn x => x + 1), Int.toString)) = "4")
val () = check "nested" (select [choose [], choose [never, choose [alwaysEvt 1]]] = 1)

(* polls of all base events: an enabled one is taken wherever it stands *)
val c : int chan = channel ()
val () = check "first of two" (select [alwaysEvt 1, recvEvt c] = 1)
val () = check "second of two" (select [recvEvt c, alwaysEvt 2] = 2)

(* wrappers of the others do not run *)
val ran = ref 0
val _ = select [wrap (alwaysEvt (), fn () => ran := !ran + 1), wrap (recvEvt c, fn _ => ran := !ran + 100)]
val () = check "wrapper of the winner only" (!ran = 1)

(* guards run at each sync, from left to right, and only then *)
val trace = ref ""
fun g (name, event) = guard (fn () => (trace := !trace ^ name; event))
val e = choose [g ("a", never), g ("b", choose [g ("c", alwaysEvt ()), g ("d", never)]), g ("e", never)]
val () = check "no guard before" (!trace = "")
val () = (sync e; sync e)
val () = check "guards twice" (!trace = "abcdeabcde")

(* a wrapper sees the event as over: it may use the channel again *)
val echo = spawn (fn () => (send (c, 1); send (c, 2)))
val () = check "wrapper after commit" (sync (wrap (recvEvt c, fn x => x + recv c)) = 3)

(* wrapHandler catches what the wrappers inside raise, not those outside *)
exception Inside and Outside
val () = check "wrapHandler" (sync (wrapHandler (wrap (alwaysEvt 1, fn _ => raise Inside), fn Inside => 7 | _ => 8)) = 7)
val () =
  check "wrapHandler, outside"
    ((sync (wrap (wrapHandler (alwaysEvt 1, fn _ => 7), fn _ => raise Outside)); false) handle Outside => true)
val () = check "wrapHandler, choice"
  (sync (wrapHandler (choose [never, wrap (alwaysEvt 1, fn _ => raise Inside)], fn _ => 9)) = 9)
val () = check "wrapHandler, guard"
  (sync (wrapHandler (guard (fn () => wrap (alwaysEvt 1, fn _ => raise Inside)), fn _ => 9)) = 9)
val () =
  check "guard raises at sync"
    ((sync (wrapHandler (guard (fn () => raise Outside), fn _ => ())); false) handle Outside => true)

(* negative acknowledgements: exactly those of the losers, exactly once *)
fun nacked (name, count, event) =
  withNack (fn nack => (ignore (spawn (fn () => (sync nack; count := !count + 1))); event))
(* until all others are blocked *)
fun settle () = (sync (timeOutEvt (ms 2)); if Thread.stat 9 = 0 then () else settle ())
val (x, y, z) = (ref 0, ref 0, ref 0)
val () = ignore (select [nacked ("x", x, never), nacked ("y", y, alwaysEvt ()), nacked ("z", z, never)])
val () = settle ()
val () = check "nacks, at once" ((!x, !y, !z) = (1, 0, 1))
(* the choice blocks first *)
val _ = spawn (fn () => send (c, 1))
val () = ignore (select [nacked ("x", x, recvEvt c), nacked ("y", y, never), wrap (timeOutEvt (Time.fromSeconds 3600), fn () => 0)])
val () = settle ()
val () = check "nacks, after blocking" ((!x, !y, !z) = (1, 1, 1))
(* nested: a group is acknowledged when all of it has lost *)
val () = ignore (select [nacked ("x", x, choose [never, nacked ("y", y, never), alwaysEvt ()]), nacked ("z", z, never)])
val () = settle ()
val () = check "nacks, nested" ((!x, !y, !z) = (1, 2, 2))
(* the acknowledgement comes before the winner's wrapper runs *)
val seen = ref false
val () =
  sync (choose [
    withNack (fn nack => (ignore (spawn (fn () => (sync nack; seen := true))); never)),
    wrap (alwaysEvt (), fn () => (settle (); check "nack before wrapper" (!seen)))])
(* nobody need listen to it, and it may be listened to late *)
val late : unit event option ref = ref NONE
val () = sync (choose [withNack (fn nack => (late := SOME nack; never)), alwaysEvt ()])
val () = (sync (valOf (!late)); say "late nack ok")

(* fairness: channels that were passed over come first; no enabled one starves *)
val a : unit chan = channel ()
val b : unit chan = channel ()
fun feed ch = ignore (spawn (fn () => let fun go () = (send (ch, ()); go ()) in go () end))
val () = (feed a; feed b)
val () = settle ()
val (na, nb) = (ref 0, ref 0)
(* until each had its turn often; for ever if one starves *)
fun take () =
  if !na >= 20 andalso !nb >= 20 then ()
  else (select [wrap (recvEvt a, fn () => na := !na + 1), wrap (recvEvt b, fn () => nb := !nb + 1)]; yield (); take ())
val () = take ()
val () = say "fair ok"
(* events of fixed priority take turns *)
val (p, q) = (ref 0, ref 0)
fun turns 0 = ()
  | turns n =
      (select [wrap (alwaysEvt (), fn () => p := !p + 1), wrap (alwaysEvt (), fn () => q := !q + 1)]; turns (n - 1))
val () = turns 100
val () = check "turns" (!p >= 20 andalso !q >= 20)

(* polls *)
val d : int chan = channel ()
val () = check "recvPoll of nothing" (recvPoll d = NONE)
val () = check "sendPoll to nobody" (not (sendPoll (d, 1)))
val got = ref 0
val t = spawn (fn () => got := recv d)
val () = settle ()
val () = check "sendPoll" (sendPoll (d, 5))
val () = (sync (joinEvt t); check "what was sent" (!got = 5))
val _ = spawn (fn () => send (d, 6))
val () = settle ()
val () = check "recvPoll" (recvPoll d = SOME 6)
(* a poll does not meet a choice of the same thread, nor one that is over *)
val () = ignore (select [recvEvt d, wrap (timeOutEvt (ms 1), fn () => 0)])
val () = check "sendPoll to a lost choice" (not (sendPoll (d, 1)))

(* both ends of one channel in one choice: a thread does not meet itself *)
val () = check "not with itself" (select [wrap (sendEvt (d, 1), fn () => "send"), wrap (recvEvt d, fn _ => "recv"),
                                          wrap (timeOutEvt (ms 2), fn () => "time")] = "time")
(* two such threads do meet *)
val swap : string chan = channel ()
fun swapper name =
  select [wrap (sendEvt (swap, name), fn () => recv swap), wrap (recvEvt swap, fn x => (send (swap, name); x))]
val answers = channel () : string chan
val _ = spawn (fn () => send (answers, swapper "p"))
val _ = spawn (fn () => send (answers, swapper "q"))
val one = recv answers
val two = recv answers
val () = check "swap" (one ^ two = "pq" orelse one ^ two = "qp")

(* sync of nothing parks for ever, and does no harm *)
val _ = spawn (fn () => sync never)
val _ = spawn (fn () => select [])
val () = say "done"
