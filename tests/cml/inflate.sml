(* Cells that inflate and deflate while others use them. A channel, a variable or a mailbox is one light state as long as one
   thread waits for it, becomes queues under a lock when a second one comes, and becomes light again after a while. Here
   directors, at the same time and on the same few cells, let crowds and lonely pairs communicate in turn, by plain operations,
   events, choices and polls, long enough for both ways. Books are kept: each message is received once, those of a mailbox in
   the order of each sender; a variable loses no increment; who waits for a thread's end or for an ivar is told.

   Arguments: the first seed, and how many (1 and 2). *)
open CML

val (first, many) =
  case List.mapPartial Int.fromString (CommandLine.arguments ()) of
    [first, many] => (first, many)
  | _ => (1, 2)

fun stream seed =
  let val state = ref (Word64.fromInt seed * 0wx9E3779B97F4A7C15 + 0w1)
  in
    fn n =>
      (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
       Word64.toInt (Word64.mod (Word64.>> (!state, 0w33), Word64.fromInt n)))
  end

val seed = ref 0
val faults = ref 0
fun fault text = (faults := !faults + 1; print ("seed " ^ Int.toString (!seed) ^ ": " ^ text ^ "\n"))
fun check (what, found, expected) =
  if found = expected then () else fault (what ^ ": " ^ Int.toString found ^ ", and not " ^ Int.toString expected)

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
    val (senders, receivers, each) = (few (), few (), if lonely then 20 + random (if random 8 = 0 then 600 else 100) else 1 + random 12)
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
      let val random = stream (List.nth (seeds, receivers + i))
      in times (each, fn k => send (random, (i, number + each - k))) end
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
      let val random = stream seed
      in
        direct (random, fn () =>
          let
            val ch = Vector.sub (chans, random (Vector.length chans))
            val (n, sum) =
              communicate (random, sendTo ch, recvFrom ch, fn (n, sum) => (count (got, n); count (gotSums, sum)))
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
      let val random = stream seed
      in
        direct (random, fn () =>
          let val (n, sum) = communicate (random, send, recv, fn (n, sum) => (count (got, n); count (gotSums, sum)))
          in count (sent, n); count (sums, sum) end)
      end
  in
    joinAll (map (fn seed => spawn (fn () => director seed)) seeds);
    check ("messages of a mailbox", SyncVar.mTake got, SyncVar.mTake sent);
    check ("their sum", SyncVar.mTake gotSums, SyncVar.mTake sums);
    check ("messages left", case Mailbox.recvPoll box of NONE => 0 | _ => 1, 0)
  end

(* in order: one sender, and one receiver who takes turns with a second one *)
fun order random =
  let
    val box = Mailbox.mailbox () : int Mailbox.mbox
    val total = 50 + random 100
    val seeds = List.tabulate (2, fn _ => random 1000000)
    fun listen seed =
      let
        val random = stream seed
        fun loop last =
          case (if random 3 = 0 then select [Mailbox.recvEvt box, never] else Mailbox.recv box) of
            ~1 => ()
          | x => (if x > last then () else fault "a mailbox changes the order"; loop x)
      in
        loop 0
      end
    val threads = map (fn seed => spawn (fn () => listen seed)) seeds
  in
    times (total, fn k => (Mailbox.send (box, total + 1 - k); if random 9 = 0 then yield () else ()));
    times (2, fn _ => Mailbox.send (box, ~1));
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
          | 1 => until (fn () => case SyncVar.mTakePoll v of NONE => (yield (); NONE) | found => found)
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
    if random 2 = 0 then yield () else ();
    send (gate, ());
    joinAll threads;
    check ("who waited for a value", SyncVar.mTake sum, 7 * waiting)
  end

val parts = [channels, mailboxes, order, variables, once]
val () =
  times (many, fn k =>
    let
      val () = seed := first + many - k
      val random = stream (!seed)
    in
      (* one after the other, or all at once *)
      if random 2 = 0 then app (fn part => part random) parts
      else joinAll (map (fn part => let val random = stream (random 1000000) in spawn (fn () => part random) end) parts)
    end)
val () = print (if !faults = 0 then "the books balance\n" else Int.toString (!faults) ^ " faults\n")
val () = OS.Process.exit (if !faults = 0 then OS.Process.success else OS.Process.failure)
