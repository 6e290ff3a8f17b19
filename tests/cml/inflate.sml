(* Cells that inflate and deflate while others use them. A channel, a variable or a mailbox is one light state as long as one
   thread waits for it, becomes queues under a lock when a second one comes, and becomes light again after a while. Here
   directors, at the same time and on the same few cells, let crowds and lonely pairs communicate in turn, by plain operations,
   events, choices of several cells and polls, long enough for both ways. Books are kept: each message is received once, those of a mailbox in
   the order of each sender; a variable loses no increment; who waits for a thread's end or for an ivar is told.

   Arguments: the first seed, and how many (1 and 2). *)
open CML

val (first, many) =
  case List.mapPartial Int.fromString (CommandLine.arguments ()) of
    [first, many] => (first, many)
  | _ => (1, 2)

fun stream seed =
  let
    val state = ref (Word64.fromInt seed * 0wx9E3779B97F4A7C15 + 0w1)
  in
    fn n =>
      (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
       Word64.toInt (Word64.mod (Word64.>> (!state, 0w33), Word64.fromInt n)))
  end

val seed = ref 0
val faults = ref 0
fun fault text =
  (faults := !faults + 1; print ("seed " ^ Int.toString (!seed) ^ ": " ^ text ^ "\n"))
fun check (what, found, expected) =
  if found = expected then ()
  else fault (what ^ ": " ^ Int.toString found ^ ", and not " ^ Int.toString expected)

fun times (0, _) = ()
  | times (n, f) = (f n; times (n - 1, f))
fun spawnAll (n, f) = List.tabulate (n, fn i => spawn (fn () => f i))
fun joinAll threads = app (fn t => sync (joinEvt t)) threads
fun micro n = timeOutEvt (Time.fromMicroseconds (LargeInt.fromInt n))

fun counter () = SyncVar.mVarInit 0
fun count (c, n) = SyncVar.mPut (c, SyncVar.mTake c + n)

(* crowds, and lonely pairs with many messages, on one channel or mailbox: `send` and `recv` are given how to do it *)
fun communicate (random, send, recv, noted) =
  let
    val lonely = random 2 = 0
    fun few () = if lonely then 1 else 1 + random 4
    val (senders, receivers, each) =
      (few (),
       few (),
       if lonely then 20 + random (if random 8 = 0 then 600 else 100) else 1 + random 12)
    val number = 1000 * random 1000
    val seeds = List.tabulate (receivers + senders, fn _ => random 1000000)
    fun receiver i =
      let
        val random = stream (List.nth (seeds, i))
        (* a message below 0 ends one receiver *)
        fun loop (n, sum) =
          case recv random of
            (_, ~1) => noted (n, sum)
          | (_, x) => loop (n + 1, sum + x)
      in
        loop (0, 0)
      end
    fun sender i =
      let
        val random = stream (List.nth (seeds, receivers + i))
      in
        times (each, fn k => send (random, (i, number + each - k)))
      end
    val listening = spawnAll (receivers, receiver)
  in
    joinAll (spawnAll (senders, sender));
    times (receivers, fn _ => send (random, (0, ~1)));
    joinAll listening;
    (senders * each, senders * (number * each + each * (each - 1) div 2))
  end

(* a choice of this event and some that do not happen, or that happen now and then *)
fun amid (random, event, others) =
  case random 4 of
    0 => sync (wrap (event, SOME))
  | 1 => select [wrap (event, SOME), never]
  | 2 => select (wrap (event, SOME) :: others)
  | _ => select [wrap (micro (random 40), fn () => NONE), wrap (event, SOME)]
fun until f = case f () of SOME x => x | NONE => until f

fun sendTo ch (random, x) =
  case random 6 of
    0 => until (fn () => amid (random, sendEvt (ch, x), []))
  (* who only asks does not meet another one who only asks *)
  | 1 => if sendPoll (ch, x) then () else (yield (); send (ch, x))
  | 2 => select [sendEvt (ch, x), wrap (never, fn () => ())]
  | _ => send (ch, x)

fun recvFrom ch random =
  case random 6 of
    0 => until (fn () => amid (random, recvEvt ch, []))
  | 1 => (case recvPoll ch of NONE => (yield (); recv ch) | SOME x => x)
  | 2 => select [recvEvt ch, wrap (never, fn () => (0, 0))]
  | _ => recv ch

fun direct (random, f) = times (2 + random 5, fn _ => f ())

fun channels random =
  let
    val chans = Vector.tabulate (1 + random 2, fn _ => channel () : (int * int) chan)
    val (sent, got) = (counter (), counter ())
    val (sums, gotSums) = (counter (), counter ())
    val seeds = List.tabulate (1 + random 3, fn _ => random 1000000)
    fun director seed =
      let
        val random = stream seed
      in
        direct (random,
                fn () =>
                  let
                    val ch = Vector.sub (chans, random (Vector.length chans))
                    val (n, sum) =
                      communicate (random,
                                   sendTo ch,
                                   recvFrom ch,
                                   fn (n, sum) => (count (got, n); count (gotSums, sum)))
                  in
                    count (sent, n);
                    count (sums, sum)
                  end)
      end
  in
    joinAll (map (fn seed => spawn (fn () => director seed)) seeds);
    check ("messages of channels", SyncVar.mTake got, SyncVar.mTake sent);
    check ("their sum", SyncVar.mTake gotSums, SyncVar.mTake sums)
  end

fun mailboxes random =
  let
    val box = Mailbox.mailbox () : (int * int) Mailbox.mbox
    val (sent, got) = (counter (), counter ())
    val (sums, gotSums) = (counter (), counter ())
    val seeds = List.tabulate (1 + random 3, fn _ => random 1000000)
    fun send (_, x) = Mailbox.send (box, x)
    fun recv random =
      case random 6 of
        0 => until (fn () => amid (random, Mailbox.recvEvt box, []))
      | 1 => until (fn () => case Mailbox.recvPoll box of NONE => (yield (); NONE) | found => found)
      | 2 => select [Mailbox.recvEvt box, never]
      | _ => Mailbox.recv box
    fun director seed =
      let
        val random = stream seed
      in
        direct (random,
                fn () =>
                  let
                    val (n, sum) =
                      communicate
                        (random, send, recv, fn (n, sum) => (count (got, n); count (gotSums, sum)))
                  in
                    count (sent, n);
                    count (sums, sum)
                  end)
      end
  in
    joinAll (map (fn seed => spawn (fn () => director seed)) seeds);
    check ("messages of a mailbox", SyncVar.mTake got, SyncVar.mTake sent);
    check ("their sum", SyncVar.mTake gotSums, SyncVar.mTake sums);
    check ("messages left", case Mailbox.recvPoll box of NONE => 0 | _ => 1, 0)
  end

(* in order: one sender, and one receiver, or two who take turns; now and then they let messages gather *)
fun order random =
  let
    val box : int Mailbox.mbox =
      if random 2 = 0 then Mailbox.mailbox () else Mailbox.bounded (1 + random 4)
    val total = 50 + random 100
    val listeners = 1 + random 2
    val seeds = List.tabulate (listeners, fn _ => random 1000000)
    fun listen seed =
      let
        val random = stream seed
        fun loop last =
          (times (if random 3 = 0 then random 6 else 0, fn _ => yield ());
           case (if random 3 = 0 then select [Mailbox.recvEvt box, never] else Mailbox.recv box) of
             ~1 => ()
           | x => (if x > last then () else fault "a mailbox changes the order"; loop x))
      in
        loop 0
      end
    val threads = map (fn seed => spawn (fn () => listen seed)) seeds
  in
    times (total,
           fn k =>
             (if random 3 = 0 then select [Mailbox.sendEvt (box, total + 1 - k), never]
              else Mailbox.send (box, total + 1 - k);
              if random 9 = 0 then yield () else ()));
    times (listeners, fn _ => Mailbox.send (box, ~1));
    joinAll threads
  end

(* an mvar that is counted up by taking, by swapping, and looked at in between *)
fun variables random =
  let
    val v = SyncVar.mVarInit 0
    val threads = 1 + random 5
    val each = 10 + random 60
    val seeds = List.tabulate (threads + 2, fn _ => random 1000000)
    val over : unit SyncVar.ivar = SyncVar.iVar ()
    fun add i =
      let
        val random = stream (List.nth (seeds, i))
        fun take () =
          case random 5 of
            0 => until (fn () => amid (random, SyncVar.mTakeEvt v, [never]))
          | 1 =>
              until (fn () => case SyncVar.mTakePoll v of NONE => (yield (); NONE) | found => found)
          | _ => SyncVar.mTake v
        (* the other half is what somebody else must not lose *)
        fun swapped () =
          let
            val x = if random 2 = 0 then SyncVar.mSwap (v, 0) else sync (SyncVar.mSwapEvt (v, 0))
            val y = take ()
          in
            SyncVar.mPut (v, x + y + 1)
          end
      in
        times (each, fn _ => if random 4 = 0 then swapped () else SyncVar.mPut (v, take () + 1))
      end
    fun look i =
      let
        val random = stream (List.nth (seeds, threads + i))
        fun loop () =
          if Option.isSome (SyncVar.iGetPoll over) then ()
          else
            (case random 4 of
               0 => ignore (SyncVar.mGetPoll v)
             | 1 => select [wrap (SyncVar.mGetEvt v, ignore), SyncVar.iGetEvt over]
             | 2 => select [wrap (SyncVar.mGetEvt v, ignore), wrap (micro 20, fn () => ())]
             | _ => yield ();
             loop ())
      in
        loop ()
      end
    val looking = spawnAll (2, look)
  in
    joinAll (spawnAll (threads, add));
    SyncVar.iPut (over, ());
    joinAll looking;
    check ("increments", SyncVar.mTake v, threads * each)
  end

(* an ivar and a thread's end: those who wait alone, those who choose, and those who give up *)
fun once random =
  let
    val v : int SyncVar.ivar = SyncVar.iVar ()
    val waiting = random (if random 4 = 0 then 40 else 6)
    val sum = counter ()
    val seeds = List.tabulate (waiting + 1, fn _ => random 1000000)
    val gate = channel () : unit chan
    val thread = spawn (fn () => recv gate)
    fun wait i =
      let
        val random = stream (List.nth (seeds, i))
        fun get () =
          case random 3 of
            0 => SyncVar.iGet v
          | 1 => until (fn () => amid (random, SyncVar.iGetEvt v, [never]))
          | _ => select [SyncVar.iGetEvt v, wrap (joinEvt thread, fn () => SyncVar.iGet v)]
      in
        count (sum, get ());
        ignore (until (fn () => amid (random, joinEvt thread, [never])))
      end
    val threads = spawnAll (waiting, wait)
  in
    if random 2 = 0 then yield () else sync (micro (random 100));
    SyncVar.iPut (v, 7);
    check ("a second value", (SyncVar.iPut (v, 8); 1) handle SyncVar.Put => 0, 0);
    joinAll (spawnAll (random 3, fn _ => ignore (SyncVar.iGet v)));
    if random 2 = 0 then yield () else ();
    send (gate, ());
    joinAll threads;
    check ("who waited for a value", SyncVar.mTake sum, 7 * waiting)
  end

(* Choices of several cells leave entries in all of them, most of which are over. Nobody gives up, so a thread that a cell
   forgets waits for ever, when those that it waits for have nobody else. *)

fun shuffled (_, []) = []
  | shuffled (random, xs) =
      let
        val i = random (length xs)
      in
        List.nth (xs, i) :: shuffled (random, List.take (xs, i) @ List.drop (xs, i + 1))
      end
fun some (random, xs) = List.take (shuffled (random, xs), 1 + random (length xs))

type cell =
  {give : int -> unit, giveEvt : int -> unit event, take : unit -> int, takeEvt : int event}
fun ofChannel ch : cell =
  {give = fn x => send (ch, x),
   giveEvt = fn x => sendEvt (ch, x),
   take = fn () => recv ch,
   takeEvt = recvEvt ch}
fun ofMailbox box : cell =
  {give = fn x => Mailbox.send (box, x),
   giveEvt = fn x => Mailbox.sendEvt (box, x),
   take = fn () => Mailbox.recv box,
   takeEvt = Mailbox.recvEvt box}

(* An event alone, or a call that does the same, where there is one cell. *)
fun one (_, call, [cell : cell]) = call cell
  | one (event, _, cells) = select (map event cells)

(* One side offers some of the cells, the other one all of them; both have the same number of messages to pass. *)
fun choices random =
  let
    val partial = random 2 = 0
    fun make _ =
      case if partial then random 4 else 0 of
        1 => ofMailbox (Mailbox.mailbox ())
      | 2 => ofMailbox (Mailbox.bounded (1 + random 3))
      | _ => ofChannel (channel ())
    val cells = List.tabulate (1 + random 3, make)
    val lonely = random 2 = 0
    fun few () = if lonely then 1 else 1 + random 3
    val (senders, receivers) = (few (), few ())
    val each = 5 + random (if lonely andalso random 4 = 0 then 200 else 20)
    val (got, sum) = (counter (), counter ())
    val seeds = List.tabulate (senders + receivers, fn _ => random 1000000)
    fun offered (random, here) = if here then some (random, cells) else shuffled (random, cells)
    fun sender i =
      let
        val random = stream (List.nth (seeds, i))
      in
        times (each * receivers,
               fn k =>
                 (one (fn {giveEvt, ...} => giveEvt k,
                       fn {give, ...} => give k,
                       offered (random, partial));
                  if random 5 = 0 then yield () else ()))
      end
    fun receiver i =
      let
        val random = stream (List.nth (seeds, senders + i))
        fun loop (0, all) = all
          | loop (n, all) =
              (* what its last choice has left stands there for a while *)
              (if random 3 = 0 then yield () else ();
               loop (n - 1,
                     all
                     + one (#takeEvt, fn {take, ...} => take (), offered (random, not partial))))
        val all = loop (senders * each, 0)
      in
        count (got, senders * each);
        count (sum, all)
      end
    val threads = spawnAll (receivers, receiver) @ spawnAll (senders, sender)
    val total = each * receivers
  in
    joinAll threads;
    check ("messages of choices", SyncVar.mTake got, senders * total);
    check ("their sum", SyncVar.mTake sum, senders * (total * (total + 1) div 2))
  end

(* Variables that are always given back. *)
fun tokens random =
  let
    val tokens = List.tabulate (1 + random 3, fn _ => SyncVar.mVarInit 0)
    val lonely = random 2 = 0
    val threads = if lonely then 2 else 1 + random 6
    val each = 10 + random (if lonely then 100 else 20)
    val seeds = List.tabulate (threads, fn _ => random 1000000)
    val (credit, seen) = (counter (), counter ())
    fun user i =
      let
        val random = stream (List.nth (seeds, i))
        (* meanwhile it is empty, and others wait for it *)
        fun taken v x = (if random 3 = 0 then yield () else (); SyncVar.mPut (v, x + 1); 1)
        fun event v =
          case random 4 of
            0 => wrap (SyncVar.mGetEvt v, fn _ => 0)
          | 1 => wrap (SyncVar.mSwapEvt (v, 1), fn x => (count (credit, x); 1))
          | _ => wrap (SyncVar.mTakeEvt v, taken v)
        fun call v =
          case random 4 of
            0 => (ignore (SyncVar.mGet v); 0)
          | 1 => (count (credit, SyncVar.mSwap (v, 1)); 1)
          | _ => taken v (SyncVar.mTake v)
        fun round _ =
          count (seen, case some (random, tokens) of [v] => call v | vs => select (map event vs))
      in
        times (each, round)
      end
  in
    joinAll (spawnAll (threads, user));
    check ("tokens",
           foldl (fn (v, n) => n + SyncVar.mTake v) (SyncVar.mTake credit) tokens,
           SyncVar.mTake seen)
  end

(* One thread fills a variable again and again, another one, or two, choose it among what never happens; a second variable says
   that it was emptied. With several workers the value often comes between the look at the variable and the offer. *)
fun pairs random =
  let
    val (v, emptied) = (SyncVar.mVar () : int SyncVar.mvar, SyncVar.mVar () : unit SyncVar.mvar)
    val silent : int chan = channel ()
    fun nothing result = wrap (recvEvt silent, fn _ => (fault "nobody sends"; result))
    val takers = 1 + random 2
    val each = 20 + random 60
    val sum = counter ()
    val seeds = List.tabulate (takers, fn _ => random 1000000)
    fun taker i =
      let
        val random = stream (List.nth (seeds, i))
        fun round _ =
          let
            val x = select (shuffled (random, [SyncVar.mTakeEvt v, nothing 0, nothing 0]))
          in
            SyncVar.mPut (emptied, ());
            x
          end
        fun loop (0, all) = all
          | loop (n, all) = loop (n - 1, all + round n)
      in
        count (sum, loop (each, 0))
      end
    val threads = spawnAll (takers, taker)
    val total = takers * each
  in
    times (total,
           fn k =>
             (SyncVar.mPut (v, k);
              if random 2 = 0 then SyncVar.mTake emptied
              else
                select (shuffled (random, [SyncVar.mTakeEvt emptied, nothing ()]))));
    joinAll threads;
    check ("values of pairs", SyncVar.mTake sum, total * (total + 1) div 2)
  end

(* A crowd that has come is served while nobody comes any more; then a pair uses the same cell, which is light again. Half of
   them wait for something that never happens, too. *)
fun crowds random =
  let
    val silent : int chan = channel ()
    val number = if random 3 = 0 then 40 + random 20 else 2 + random 6
    fun crowd (take, takeEvt, give, pair) =
      let
        val sum = counter ()
        val seeds = List.tabulate (number, fn _ => random 1000000)
        fun wait i =
          count (sum,
                 if List.nth (seeds, i) mod 2 = 0 then take ()
                 else select [takeEvt (), recvEvt silent])
        val threads = spawnAll (number, wait)
      in
        if random 4 = 0 then () else times (2, fn _ => yield ());
        times (number, give);
        joinAll threads;
        check ("a crowd", SyncVar.mTake sum, number * (number + 1) div 2);
        if pair then crowd (take, takeEvt, give, false) else ()
      end
    val ch : int chan = channel ()
    val box : int Mailbox.mbox = Mailbox.mailbox ()
    val v : int SyncVar.mvar = SyncVar.mVar ()
    val u : unit SyncVar.mvar = SyncVar.mVar ()
    fun putting k = (SyncVar.mPut (v, k); SyncVar.mTake u)
    fun took x = (SyncVar.mPut (u, ()); x)
    val receivers =
      fn () => crowd (fn () => recv ch, fn () => recvEvt ch, fn k => send (ch, k), random 2 = 0)
    (* those who send wait; who receives comes afterwards *)
    fun senders () =
      let
        val seeds = List.tabulate (number, fn _ => random 1000)
        fun stand i =
          if List.nth (seeds, i) mod 2 = 0 then send (ch, i)
          else select [sendEvt (ch, i), wrap (recvEvt silent, ignore)]
        val threads = spawnAll (number, stand)
        val () = if random 4 = 0 then () else times (2, fn _ => yield ())
        val sum = foldl op + 0 (List.tabulate (number, fn _ => recv ch))
      in
        joinAll threads;
        check ("a crowd of senders", sum, number * (number - 1) div 2)
      end
    val letters =
      fn () =>
        crowd (fn () => Mailbox.recv box,
               fn () => Mailbox.recvEvt box,
               fn k => Mailbox.send (box, k),
               random 2 = 0)
    val values =
      fn () =>
        crowd (fn () => took (SyncVar.mTake v),
               fn () => wrap (SyncVar.mTakeEvt v, took),
               putting,
               random 2 = 0)
  in
    app (fn f => f ()) (some (random, [receivers, senders, letters, values, receivers, senders]))
  end

(* Threads that offer to send and to receive at the same time. Those of one side send on the first channel and receive from the
   second one, those of the other side the other way round: each exchange is one of each side, so all of them end. *)
fun exchanges random =
  let
    val (a, b) = (channel () : int chan, channel () : int chan)
    val pairs = if random 2 = 0 then 1 else 1 + random 3
    val each = 10 + random (if pairs = 1 then 100 else 20)
    val seeds = List.tabulate (2 * pairs, fn _ => random 1000000)
    val (sent, received) = (counter (), counter ())
    fun player i =
      let
        val random = stream (List.nth (seeds, i))
        val (out, into) = if i mod 2 = 0 then (a, b) else (b, a)
        fun round k =
          let
            val events =
              [wrap (sendEvt (out, k), fn () => count (sent, k)),
               wrap (recvEvt into, fn x => count (received, x))]
          in
            select (shuffled (random, events));
            if random 5 = 0 then yield () else ()
          end
      in
        times (each, round)
      end
  in
    joinAll (spawnAll (2 * pairs, player));
    check ("exchanges", SyncVar.mTake received, SyncVar.mTake sent)
  end

(* The same on a few channels, at one end or at both: a thread does not meet itself. Whoever is left at the end is served. *)
fun mixed random =
  let
    val chans = List.tabulate (1 + random 2, fn _ => channel () : int chan)
    val players = 2 + random 5
    val each = 5 + random 20
    val seeds = List.tabulate (players, fn _ => random 1000000)
    val (sent, received) = (counter (), counter ())
    fun both (ch, k) =
      [wrap (sendEvt (ch, k), fn () => count (sent, k)),
       wrap (recvEvt ch, fn x => count (received, x))]
    fun events (random, k) =
      some (random, List.concat (map (fn ch => both (ch, k)) chans))
    fun player i =
      let
        val random = stream (List.nth (seeds, i))
      in
        times (each, fn k => (select (events (random, k)); if random 5 = 0 then yield () else ()))
      end
    val threads = spawnAll (players, player)
    fun serve [] = ()
      | serve (thread :: rest) =
          let
            val over = wrap (joinEvt thread, fn () => true)
            fun wait () =
              if select (over
                         :: map
                           (fn e => wrap (e, fn () => false))
                           (List.concat (map (fn ch => both (ch, 0)) chans)))
              then ()
              else wait ()
          in
            wait ();
            serve rest
          end
  in
    serve threads;
    check ("mixed messages", SyncVar.mTake received, SyncVar.mTake sent)
  end

val parts =
  [channels, mailboxes, order, variables, once, choices, tokens, pairs, crowds, exchanges, mixed]
val () =
  times (many,
         fn k =>
           let
             val () = seed := first + many - k
             val random = stream (!seed)
           in
             (* one after the other, or all at once *)
             if random 2 = 0
             then app (fn part => part random) parts
             else
               joinAll (map
                          (fn part =>
                            let
                              val random = stream (random 1000000)
                            in
                              spawn (fn () => part random)
                            end)
                          parts)
           end)
val () = print (if !faults = 0 then "the books balance\n" else Int.toString (!faults) ^ " faults\n")
val () = OS.Process.exit (if !faults = 0 then OS.Process.success else OS.Process.failure)
