(* Channel': synchronous channels, the rendezvous of one sender with one receiver. For the library; programs see it in CML.

   A channel has a queue of senders, each with its message, and one of receivers. Either may have waiters that are over
   (other events of their choices have happened), and both may have live ones when those are events of the same choices.
   The priority ages: it rises whenever the channel could have been chosen, and falls back when it is. *)

structure Channel' :>
sig
  type 'a chan

  val channel : unit -> 'a chan
  val sameChannel : 'a chan * 'a chan -> bool
  (* blocks until somebody receives; a waiting receiver runs at once *)
  val send : 'a chan * 'a -> unit
  (* blocks until somebody sends; a waiting sender becomes ready *)
  val recv : 'a chan -> 'a
  val sendEvt : 'a chan * 'a -> unit Event'.event
  val recvEvt : 'a chan -> 'a Event'.event
  (* do not block; false, NONE: nobody waited *)
  val sendPoll : 'a chan * 'a -> bool
  val recvPoll : 'a chan -> 'a option
  (* forgets who waits: for the start of a program that ran before (RunCML) *)
  val reset : 'a chan -> unit
  (* how many stand in both queues, those included whose choice is over *)
  val entries : 'a chan -> int
end =
struct
  open Transaction'

  (* The queues are spread out: one object less, and one load less, each. The channel itself is one: a record would be taken
     apart, and a thread that waits would have each of its parts in its frame, and in the closure that it began with. `peers`
     is for that; it stays empty. *)
  datatype 'a chan =
    CHAN of
      {lock : int ref, priority : int ref, fuel : int ref, made : string,
       firstSender : 'a Waiting'.items ref, lastSender : 'a Waiting'.items ref,
       firstReceiver : unit Waiting'.items ref, lastReceiver : unit Waiting'.items ref, peers : 'a chan list}

  fun senders (CHAN {firstSender, lastSender, ...} : 'a chan) = {front = firstSender, back = lastSender}
  fun receivers (CHAN {firstReceiver, lastReceiver, ...} : 'a chan) = {front = firstReceiver, back = lastReceiver}

  (* reasons of a thread dump *)
  val sending = ParkReason'.send
  val receiving = ParkReason'.receive

  fun channel () : 'a chan =
    CHAN
      {lock = Lock'.new (), priority = ref 1, fuel = ref 16, made = calledAt (),
       firstSender = ref Waiting'.NOBODY, lastSender = ref Waiting'.NOBODY,
       firstReceiver = ref Waiting'.NOBODY, lastReceiver = ref Waiting'.NOBODY, peers = []}

  fun sameChannel (CHAN {lock = a, ...} : 'a chan, CHAN {lock = b, ...} : 'a chan) = a = b

  fun reset (ch as CHAN {lock, priority, ...} : 'a chan) =
    (Lock'.take lock;
     priority := 1;
     Waiting'.clear (senders ch);
     Waiting'.clear (receivers ch);
     Lock'.release lock)

  (* the claimed receiver gets the message *)
  fun deliver (thread, synched, message) = (leave (thread, message); setStamp (thread, synched))

  fun entries (ch as CHAN {lock, ...} : 'a chan) =
    let
      val () = Lock'.take lock
      fun count {front, back} = Waiting'.length (!front, 0) + Waiting'.length (!back, 0)
      val n = count (senders ch) + count (receivers ch)
    in
      Lock'.release lock;
      n
    end

  (* what the running thread waits with when it offers nothing else *)
  fun alone made =
    let
      val self = Thread.self ()
      val waiting = begin self
    in
      waitsFor (self, made);
      {synched = only waiting, thread = self, waiting = waiting}
    end

  structure Sending = AwaitFn' (val reason = sending)
  structure Receiving = AwaitFn' (val reason = receiving)

  (* The general cases, in an atomic section. They stay functions of their own, so that what they need does not make the
     frames larger in which threads wait below. *)

  fun sendAny (ch as CHAN {lock, priority, made, ...} : 'a chan, message) =
    (noinline ();
     Lock'.lock lock;
     case Waiting'.take (receivers ch) of
       Waiting'.ITEM {thread, synched, ...} =>
         (deliver (thread, synched, message);
          priority := 1;
          Lock'.release lock;
          Thread.switch thread)
     | Waiting'.NOBODY =>
         let val w = alone made
         in
           Waiting'.add (senders ch, w, message);
           Lock'.unlock lock;
           Sending.awaitTaken ()
         end)

  fun recvAny (ch as CHAN {lock, priority, made, ...} : 'a chan) =
    (noinline ();
     Lock'.lock lock;
     case Waiting'.take (senders ch) of
       Waiting'.ITEM {thread, synched, offer, ...} =>
         (setStamp (thread, synched);
          priority := 1;
          Lock'.release lock;
          Thread.ready thread;
          offer)
     | Waiting'.NOBODY =>
         let val w = alone made
         in
           Waiting'.add (receivers ch, w, ());
           Lock'.unlock lock;
           Receiving.await ()
         end)

  (* The same for a channel of the running worker's and at most one partner, who waits for this alone: what happens most,
     without a loop. Functions of their own, likewise. *)

  fun send (ch as CHAN {lock, priority, made, firstReceiver, lastReceiver, ...} : 'a chan, message) =
    (noinline ();
     Thread.atomicBegin ();
     case !firstReceiver of
       Waiting'.NOBODY =>
         if not (Lock'.isOwn lock) then sendAny (ch, message)
         else
           (case !lastReceiver of
              Waiting'.NOBODY =>
                let val w = alone made
                in
                  Waiting'.add (senders ch, w, message);
                  Sending.awaitTaken ()
                end
            | Waiting'.ITEM {next = Waiting'.NOBODY, thread, synched, waiting, ...} =>
                if stamp thread = waiting andalso isAlone (waiting, synched) then
                  (lastReceiver := Waiting'.NOBODY;
                   deliver (thread, synched, message);
                   priority := 1;
                   Thread.atomicEnd ();
                   Thread.switch thread)
                else sendAny (ch, message)
            | _ => sendAny (ch, message))
     | _ => sendAny (ch, message))

  fun recv (ch as CHAN {lock, priority, made, firstSender, lastSender, ...} : 'a chan) =
    (noinline ();
     Thread.atomicBegin ();
     case !firstSender of
       Waiting'.NOBODY =>
         if not (Lock'.isOwn lock) then recvAny ch
         else
           (case !lastSender of
              Waiting'.NOBODY =>
                let val w = alone made
                in
                  Waiting'.add (receivers ch, w, ());
                  Receiving.await ()
                end
            | Waiting'.ITEM {next = Waiting'.NOBODY, thread, synched, waiting, offer} =>
                if stamp thread = waiting andalso isAlone (waiting, synched) then
                  (lastSender := Waiting'.NOBODY;
                   setStamp (thread, synched);
                   priority := 1;
                   Thread.atomicEnd ();
                   Thread.ready thread;
                   offer)
                else recvAny ch
            | _ => recvAny ch)
     | _ => recvAny ch)

  fun sendPoll (ch as CHAN {lock, priority, ...} : 'a chan, message) =
    (Lock'.take lock;
     case Waiting'.take (receivers ch) of
       Waiting'.ITEM {thread, synched, ...} =>
         (deliver (thread, synched, message);
          priority := 1;
          Lock'.release lock;
          Thread.switch thread;
          true)
     | Waiting'.NOBODY => (Lock'.release lock; false))

  fun recvPoll (ch as CHAN {lock, priority, ...} : 'a chan) =
    (Lock'.take lock;
     case Waiting'.take (senders ch) of
       Waiting'.ITEM {thread, synched, offer, ...} =>
         (setStamp (thread, synched);
          priority := 1;
          Lock'.release lock;
          Thread.ready thread;
          SOME offer)
     | Waiting'.NOBODY => (Lock'.release lock; NONE))

  (* The three functions of an event run in an atomic section: only the lock is missing. As above, what several workers need
     is apart. *)

  fun look (lock, queue) =
    (noinline ();
     Lock'.lock lock;
     Waiting'.isWaiting queue before Lock'.unlock lock)

  fun sendLocked (ch as CHAN {lock, priority, fuel, ...} : 'a chan, message, w) =
    (noinline ();
     Lock'.lock lock;
     (case Waiting'.match (receivers ch, w) of
        Waiting'.NONE_LIVE => Waiting'.addChoice (senders ch, w, message, fuel)
      | Waiting'.MATCH (Waiting'.ITEM {thread, synched, ...}) =>
          (deliver (thread, synched, message);
           Transaction'.commit w;
           priority := 1;
           Thread.ready thread;
           MATCHED)
      | _ => GONE)
     before Lock'.unlock lock)

  fun sendEvt (ch as CHAN {lock, priority, fuel, made, firstReceiver, lastReceiver, ...} : 'a chan, message) =
    let
      fun poll () =
        case !firstReceiver of
          Waiting'.NOBODY =>
            (case !lastReceiver of
               Waiting'.NOBODY => not (Lock'.isOwn lock) andalso look (lock, receivers ch)
             | _ => look (lock, receivers ch))
        | _ => look (lock, receivers ch)
      fun commit () =
        (Lock'.lock lock;
         case Waiting'.take (receivers ch) of
           Waiting'.ITEM {thread, synched, ...} =>
             (deliver (thread, synched, message);
              priority := 1;
              Lock'.unlock lock;
              Event'.SWITCH thread)
         | Waiting'.NOBODY => (Lock'.unlock lock; Event'.LOST))
      fun block w =
        if !Workers'.several then sendLocked (ch, message, w)
        else Waiting'.addChoice (senders ch, w, message, fuel)
    in
      Event'.base ({poll = poll, priority = priority, commit = commit, block = block, reason = sending, made = made}, fn () => ())
    end

  fun got (CHAN {priority, ...} : 'a chan, thread, synched, message) =
    (leave (Thread.self (), message);
     setStamp (thread, synched);
     priority := 1;
     Thread.ready thread)

  fun recvLocked (ch as CHAN {lock, fuel, ...} : 'a chan, w) =
    (noinline ();
     Lock'.lock lock;
     (case Waiting'.match (senders ch, w) of
        Waiting'.NONE_LIVE => Waiting'.addChoice (receivers ch, w, (), fuel)
      | Waiting'.MATCH (Waiting'.ITEM {thread, synched, offer, ...}) =>
          (Transaction'.commit w;
           got (ch, thread, synched, offer);
           MATCHED)
      | _ => GONE)
     before Lock'.unlock lock)

  fun recvEvt (ch as CHAN {lock, priority, fuel, made, firstSender, lastSender, ...} : 'a chan) =
    let
      fun poll () =
        case !firstSender of
          Waiting'.NOBODY =>
            (case !lastSender of
               Waiting'.NOBODY => not (Lock'.isOwn lock) andalso look (lock, senders ch)
             | _ => look (lock, senders ch))
        | _ => look (lock, senders ch)
      fun commit () =
        (Lock'.lock lock;
         (case Waiting'.take (senders ch) of
            Waiting'.ITEM {thread, synched, offer, ...} => (got (ch, thread, synched, offer); Event'.WON)
          | Waiting'.NOBODY => Event'.LOST)
         before Lock'.unlock lock)
      fun block w =
        if !Workers'.several then recvLocked (ch, w)
        else Waiting'.addChoice (receivers ch, w, (), fuel)
    in
      Event'.received {poll = poll, priority = priority, commit = commit, block = block, reason = receiving, made = made}
    end
end
