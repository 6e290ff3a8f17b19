(* Random threads that talk in every way that Concurrent ML has, with books kept: a message is received once, by one, and in
   the order of its mailbox; the acknowledgements of those choices that lost come, and no others; every port of a multicast
   channel gets the same; a call gets its own answer; a variable is filled once; what a lock guards is done by one at a time;
   nobody leaves a barrier before all have come; a thread is joined when it has ended. Some threads compute all the while, so
   time slices end anywhere.

   Arguments: the first seed, and how many (1 and 2). A seed is the shape of the program, not who runs when: that is
   --workers, --gc-stress, --sched-seed. BOOKS=n cargo test --release -p leat --test concurrency -- books
   runs n seeds in each of a dozen modes. *)
open CML

val (first, count) =
  case List.mapPartial Int.fromString (CommandLine.arguments ()) of
    [first, count] => (first, count)
  | _ => (1, 2)

fun show n = Int.toString n

(* -- random numbers: one stream for each thread, so the shape does not depend on who runs when *)
fun stream seed =
  let val state = ref (Word64.fromInt seed * 0wx9E3779B97F4A7C15 + 0w1)
  in
    fn n =>
      (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
       Word64.toInt (Word64.mod (Word64.>> (!state, 0w33), Word64.fromInt n)))
  end

(* -- faults, told once each *)
val seed = ref 0
val faults = ref 0
fun fault text = (faults := !faults + 1; print ("seed " ^ show (!seed) ^ ": " ^ text ^ "\n"))
fun check (true, _) = ()
  | check (false, text) = fault text

fun times (0, _) = ()
  | times (n, f) = (f n; times (n - 1, f))
fun joinAll threads = app (fn t => sync (joinEvt t)) threads
fun spawnAll (n, f) = List.tabulate (n, fn i => spawn (fn () => f i))

(* each of these is there once, and nothing else; `what` names them *)
fun same (what, expected, found) =
  let
    fun merge ([], ys) = ys
      | merge (xs, []) = xs
      | merge (x :: xs, y :: ys) = if x <= y then x :: merge (xs, y :: ys) else y :: merge (x :: xs, ys)
    fun sorted (l as _ :: _ :: _) =
          let val half = length l div 2
          in merge (sorted (List.take (l, half)), sorted (List.drop (l, half))) end
      | sorted l = l
    fun compare ([], []) = ()
      | compare (x :: xs, y :: ys) =
          if x = y then compare (xs, ys)
          else if x < y then fault (what ^ " " ^ show x ^ " is missing")
          else fault (what ^ " " ^ show y ^ " is one too many")
      | compare (x :: _, []) = fault (what ^ " " ^ show x ^ " is missing")
      | compare ([], y :: _) = fault (what ^ " " ^ show y ^ " is one too many")
  in
    compare (sorted expected, sorted found)
  end

(* -- choices: players send and receive on the same channels by `select`; every offer has a number *)
fun choices random =
  let
    val players = 2 + random 5
    val rounds = 5 + random 20
    val channels = Vector.tabulate (1 + random 3, fn _ => channel () : int chan)
    fun ch i = Vector.sub (channels, i mod Vector.length channels)
    val stop : unit SyncVar.ivar = SyncVar.iVar ()
    val told : int Mailbox.mbox = Mailbox.mailbox ()
    (* what each has sent, has received, and the offers that lost *)
    val books : (int list * int list * int list) Mailbox.mbox = Mailbox.mailbox ()
    val seeds = Vector.tabulate (players, fn _ => random 1000000)
    fun player id =
      let
        val random = stream (Vector.sub (seeds, id))
        datatype got = SENT of int | GOT of int | LATE | OVER
        (* an offer that tells when it loses, and whose number is put down if it does not win *)
        val watched = ref ([] : int list)
        val won = ref ~1
        fun watch (number, event) =
          (watched := number :: !watched;
           wrap (withNack (fn nack =>
                   (ignore (spawn (fn () => (sync nack; Mailbox.send (told, number)))); event)),
                 fn x => (won := number; x)))
        fun play (0, books) = books
          | play (n, (sent, received, lost)) =
              let
                fun number k = (id * 1000 + n) * 10 + k
                val () = (watched := []; won := ~1)
                fun event k =
                  case random 7 of
                    0 => wrap (sendEvt (ch (random 9), number k), fn () => SENT (number k))
                  | 1 => wrap (recvEvt (ch (random 9)), GOT)
                  | 2 => guard (fn () => wrap (sendEvt (ch (random 9), number k), fn () => SENT (number k)))
                  | 3 => watch (number k, wrap (recvEvt (ch (random 9)), GOT))
                  | 4 => watch (number k, wrap (sendEvt (ch (random 9), number k), fn () => SENT (number k)))
                  | 5 => choose [never, wrap (recvEvt (ch (random 9)), GOT)]
                  | _ => wrap (timeOutEvt (Time.fromMicroseconds (LargeInt.fromInt (random 300))), fn () => LATE)
                val over = wrap (SyncVar.iGetEvt stop, fn () => OVER)
                val result = select (over :: List.tabulate (1 + random 4, event))
                val lost = List.filter (fn k => k <> !won) (!watched) @ lost
              in
                case result of
                  SENT x => play (n - 1, (x :: sent, received, lost))
                | GOT x => play (n - 1, (sent, x :: received, lost))
                | LATE => play (n - 1, (sent, received, lost))
                | OVER => (sent, received, lost)
              end
      in
        Mailbox.send (books, play (rounds, ([], [], [])))
      end
    val threads = spawnAll (players, player)
    (* those that are left alone go on when this is over *)
    val () =
      select (wrap (timeOutEvt (Time.fromMilliseconds 5), fn () => ()) ::
              [wrap (joinEvt (hd threads), fn () => sync (timeOutEvt (Time.fromMilliseconds 1)))])
    val () = SyncVar.iPut (stop, ())
    val () = joinAll threads
    val all = List.tabulate (players, fn _ => Mailbox.recv books)
    val lost = List.concat (map #3 all)
    val () = same ("message", List.concat (map #1 all), List.concat (map #2 all))
    val () = same ("acknowledgement", lost, map (fn _ => Mailbox.recv told) lost)
  in
    sync (timeOutEvt (Time.fromMicroseconds 200));
    check (not (isSome (Mailbox.recvPoll told)), "an acknowledgement too many")
  end

(* -- senders and receivers by plain operations: as many messages as receptions *)
fun plain random =
  let
    val (senders, each) = (1 + random 4, 1 + random 30)
    val receivers = 1 + random 4
    val c : int chan = channel ()
    val total = senders * each
    fun share i = total div receivers + (if i < total mod receivers then 1 else 0)
    val got : int list Mailbox.mbox = Mailbox.mailbox ()
    fun sender i = times (each, fn n => if n mod 7 = 3 then sync (sendEvt (c, i * 1000 + n)) else send (c, i * 1000 + n))
    fun receiver i =
      let fun take (0, l) = l | take (n, l) = take (n - 1, (if n mod 5 = 2 then sync (recvEvt c) else recv c) :: l)
      in Mailbox.send (got, take (share i, [])) end
    val threads = spawnAll (senders, sender) @ spawnAll (receivers, receiver)
  in
    joinAll threads;
    same ("plain message", List.concat (List.tabulate (senders, fn i => List.tabulate (each, fn n => i * 1000 + n + 1))),
          List.concat (List.tabulate (receivers, fn _ => Mailbox.recv got)))
  end

(* -- a mailbox: those of one sender come in their order to each receiver *)
fun mailboxes random =
  let
    val (senders, each, receivers) = (1 + random 4, 1 + random 40, 1 + random 3)
    val m : (int * int) Mailbox.mbox = Mailbox.mailbox ()
    val total = senders * each
    fun share i = total div receivers + (if i < total mod receivers then 1 else 0)
    val got : int list Mailbox.mbox = Mailbox.mailbox ()
    fun receiver i =
      let
        val last = Array.array (senders, 0)
        fun take (0, l) = l
          | take (n, l) =
              let val (s, k) = if n mod 3 = 0 then sync (Mailbox.recvEvt m) else Mailbox.recv m
              in
                check (k > Array.sub (last, s), "a mailbox out of order");
                Array.update (last, s, k);
                take (n - 1, (s * 1000 + k) :: l)
              end
      in
        Mailbox.send (got, take (share i, []))
      end
    fun sender i = List.app (fn k => Mailbox.send (m, (i, k))) (List.tabulate (each, fn k => k + 1))
    val threads = spawnAll (receivers, receiver) @ spawnAll (senders, sender)
  in
    joinAll threads;
    same ("mail", List.concat (List.tabulate (senders, fn i => List.tabulate (each, fn n => i * 1000 + n + 1))),
          List.concat (List.tabulate (receivers, fn _ => Mailbox.recv got)))
  end

(* -- variables: an mvar as a lock, an ivar that many want to fill *)
fun variables random =
  let
    val (workers, each) = (2 + random 5, 1 + random 30)
    val m = SyncVar.mVarInit 0
    val inside = ref 0
    val v : int SyncVar.ivar = SyncVar.iVar ()
    val winners : int Mailbox.mbox = Mailbox.mailbox ()
    val seen : int Mailbox.mbox = Mailbox.mailbox ()
    fun worker i =
      (times (each, fn n =>
         let val x = if n mod 3 = 0 then sync (SyncVar.mTakeEvt m) else SyncVar.mTake m
         in
           inside := !inside + 1;
           if n mod 4 = 0 then yield () else ();
           check (!inside = 1, "two threads have an mvar");
           inside := !inside - 1;
           SyncVar.mPut (m, x + 1)
         end);
       (SyncVar.iPut (v, i); Mailbox.send (winners, i)) handle SyncVar.Put => ();
       Mailbox.send (seen, SyncVar.iGet v))
    val threads = spawnAll (workers, worker)
    val () = joinAll threads
    val winner = Mailbox.recv winners
  in
    check (not (isSome (Mailbox.recvPoll winners)), "an ivar was filled twice");
    times (workers, fn _ => check (Mailbox.recv seen = winner, "an ivar has two values"));
    check (SyncVar.mTake m = workers * each, "an mvar lost an addition")
  end

(* -- multicast: every port gets the same in the same order *)
fun multicasts random =
  let
    val (senders, each, ports) = (1 + random 3, 1 + random 15, 1 + random 4)
    val mc : int Multicast.mchan = Multicast.mChannel ()
    val got : int list Mailbox.mbox = Mailbox.mailbox ()
    val all = List.tabulate (ports, fn _ => Multicast.port mc)
    fun reader port () =
      Mailbox.send (got, List.tabulate (senders * each, fn n =>
        if n mod 3 = 0 then sync (Multicast.recvEvt port) else Multicast.recv port))
    val threads =
      map (fn port => spawn (reader port)) all
      @ spawnAll (senders, fn i => times (each, fn n => Multicast.multicast (mc, i * 1000 + n)))
    val () = joinAll threads
    val lists = List.tabulate (ports, fn _ => Mailbox.recv got)
  in
    check (List.all (fn l => l = hd lists) lists, "two ports got different messages");
    same ("multicast", List.concat (List.tabulate (senders, fn i => List.tabulate (each, fn n => i * 1000 + n + 1))), hd lists)
  end

(* -- calls: each gets its own answer, and the server has served as many *)
fun calls random =
  let
    val (clients, each) = (1 + random 5, 1 + random 15)
    val {call, entryEvt} = SimpleRPC.mkRPC_InOut (fn (x : int, served) => (x * 2 + 1, served + 1))
    val stop : unit SyncVar.ivar = SyncVar.iVar ()
    val served : int SyncVar.ivar = SyncVar.iVar ()
    fun serve n =
      select [wrap (entryEvt n, serve), wrap (SyncVar.iGetEvt stop, fn () => SyncVar.iPut (served, n))]
    val _ = spawn (fn () => serve 0)
    fun client i =
      times (each, fn n => check (call (i * 1000 + n) = 2 * (i * 1000 + n) + 1, "a call got another one's answer"))
  in
    joinAll (spawnAll (clients, client));
    SyncVar.iPut (stop, ());
    check (SyncVar.iGet served = clients * each, "a call was served twice, or not")
  end

(* -- a barrier: nobody is a round ahead of another one *)
fun barriers random =
  let
    val (members, rounds) = (1 + random 5, 1 + random 10)
    val b = Barrier.barrier (fn n => n + 1) 0
    val round = Vector.tabulate (members, fn _ => SyncVar.mVarInit 0)
    val enrolled = List.tabulate (members, fn i => (i, Barrier.enroll b))
    fun member (i, e) () =
      (List.app (fn k =>
         (ignore (SyncVar.mSwap (Vector.sub (round, i), k));
          if (k + i) mod 3 = 0 then yield () else ();
          check (Barrier.wait e = k, "a barrier's state is wrong");
          check (Vector.all (fn other => SyncVar.mGet other >= k) round, "somebody left a barrier early")))
        (List.tabulate (rounds, fn k => k + 1));
       Barrier.resign e)
  in
    joinAll (map (fn m => spawn (member m)) enrolled)
  end

(* -- ends: by return, by `exit`, in a choice with a time-out that is too late; joined by two *)
fun ends random =
  let
    val threads = 1 + random 6
    val over = Array.array (threads, false)
    fun body i =
      (times (i, fn _ => yield ());
       Array.update (over, i, true);
       if i mod 2 = 0 then exit () else ())
    val all = spawnAll (threads, body)
    fun join () =
      ListPair.app (fn (t, i) =>
        (select [joinEvt t, wrap (timeOutEvt (Time.fromSeconds 3000), fn () => fault "a thread's end was not told")];
         check (Array.sub (over, i), "a thread was joined before its end")))
        (all, List.tabulate (threads, fn i => i))
  in
    joinAll [spawn join, spawn join]
  end

val parts =
  [("choices", choices), ("plain", plain), ("mailboxes", mailboxes), ("variables", variables), ("multicasts", multicasts),
   ("calls", calls), ("barriers", barriers), ("ends", ends)]

(* Two to five parts at once, and up to three threads that compute. *)
fun run n =
  let
    val () = seed := n
    val random = stream n
    val chosen = List.tabulate (2 + random 4, fn _ => (List.nth (parts, random (length parts)), random 1000000))
    val computing = random 4
    val stop = SyncVar.iVar ()
    fun compute k =
      case SyncVar.iGetPoll stop of SOME () => () | NONE => compute (if k > 1000000 then 0 else k + 1)
    val spinners = List.tabulate (computing, fn _ => spawn (fn () => compute 0))
    val threads = map (fn ((_, part), seed) => (spawn (fn () => part (stream seed)))) chosen
    fun wait (thread, ((name, _), _)) =
      select [joinEvt thread,
              wrap (timeOutEvt (Time.fromSeconds 100), fn () =>
                (fault (name ^ " does not end"); OS.Process.exit OS.Process.failure))]
  in
    ListPair.app wait (threads, chosen);
    SyncVar.iPut (stop, ());
    joinAll spinners
  end

val () = List.app run (List.tabulate (count, fn i => first + i))
val () = if !faults = 0 then print "the books balance\n" else OS.Process.exit OS.Process.failure
