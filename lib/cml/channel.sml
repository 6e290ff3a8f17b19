(* Channel': synchronous channels, the rendezvous of one sender with one receiver. For the library; programs see it in CML.

   A channel is a cell (see Transaction'), whose states are

     IDLE --send--> SENDER, SENDING --recv--> IDLE          IDLE --recv--> RECEIVER, RECEIVING --send--> IDLE

   and MANY, as soon as a second thread waits: a queue of senders, each with its message, and one of receivers, under a lock.
   Either may have waiters that are over (other events of their choices have happened), and both may have live ones when
   those are events of the same choices. When nobody has stood behind another one for a while, the cell becomes light again.
   The priority ages: it rises whenever the channel could have been chosen, and falls back when it is. *)

structure Channel' :> sig
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

  (* The priority is 1, but for MANY and AGED. *)
  datatype 'a state =
      IDLE
    (* a thread that waits for nothing else *)
    | SENDER of {message : 'a, thread : Thread.thread}
    | RECEIVER of Thread.thread
    (* a thread that may have other events too. With several workers it has not. *)
    | SENDING of {message : 'a, synched : int, thread : Thread.thread, waiting : int}
    | RECEIVING of {synched : int, thread : Thread.thread, waiting : int}
    (* one of the four above that was passed over when another event was taken *)
    | AGED of {beneath : 'a state, priority : int}
    (* The queues are spread out: one object less, and one load less, each. *)
    | MANY of
        {lock : int ref,
         priority : int ref,
         fuel : int ref,
         idle : int ref,
         firstSender : 'a Waiting'.items ref,
         lastSender : 'a Waiting'.items ref,
         firstReceiver : unit Waiting'.items ref,
         lastReceiver : unit Waiting'.items ref}

  type 'a chan = 'a state ref

  (* reasons of a thread dump *)
  val sending = ParkReason'.send
  val receiving = ParkReason'.receive

  structure Sending = AwaitFn' (val reason = sending)
  structure Receiving = AwaitFn' (val reason = receiving)

  fun channel () = cell IDLE
  fun sameChannel (a : 'a chan, b) = a = b

  (* What is not light. In an atomic section, as all that follows: with the lock of a cell that is MANY, its state stays so. *)

  fun beneath (AGED {beneath, ...}) = beneath
    | beneath state = state

  (* As `inflate` in sync-var.sml. *)
  fun inflate (ch, state) =
    let
      val () = noinline ()
      val lock = Lock'.newHeld ()
      val priority = case state of AGED {priority, ...} => priority | _ => 1
      val senders = Waiting'.new ()
      val receivers = Waiting'.new ()
    in
      if swap (ch,
               state,
               MANY {lock = lock,
                     priority = ref priority,
                     fuel = ref 16,
                     idle = ref 0,
                     firstSender = #front senders,
                     lastSender = #back senders,
                     firstReceiver = #front receivers,
                     lastReceiver = #back receivers})
      then
        (case beneath state of
           RECEIVER thread => Waiting'.add (receivers, single thread, ())
         | RECEIVING w => Waiting'.add (receivers, w, ())
         | SENDER {message, thread} => Waiting'.add (senders, single thread, message)
         | SENDING {message, synched, thread, waiting} =>
             Waiting'.add
               (senders, {synched = synched, thread = thread, waiting = waiting}, message)
         | _ => ();
         Lock'.unlock lock)
      else ()
    end

  (* Who stands there is over. *)
  fun drop (ch, state as AGED _) = inflate (ch, state)
    | drop (ch, state) = ignore (swap (ch, state, IDLE))

  (* What was done may have left nobody in the queues: the channel may be light again. The lock is held. *)
  fun settle (ch, priority, idle, senders as {front, back} : 'a Waiting'.queue, receivers) =
    case (!front, !back) of
      (Waiting'.NOBODY, Waiting'.NOBODY) =>
        if !priority = 1 andalso Waiting'.isIdle (receivers, idle) then ch := IDLE else ()
    | _ => ()

  fun reset ch =
    let
      fun clear () =
        case !ch of
          many as MANY {lock, priority, firstSender, lastSender, firstReceiver, lastReceiver,
                        ...} =>
            (Lock'.lock lock;
             if has (ch, many) then
               (priority := 1;
                Waiting'.clear {front = firstSender, back = lastSender};
                Waiting'.clear {front = firstReceiver, back = lastReceiver};
                Lock'.unlock lock)
             else (Lock'.unlock lock; clear ()))
        | state => if swap (ch, state, IDLE) then () else clear ()
    in
      Thread.atomicBegin ();
      clear ();
      Thread.atomicEnd ()
    end

  fun entries ch =
    let
      fun count () =
        case !ch of
          IDLE => 0
        | many as MANY {lock, firstSender, lastSender, firstReceiver, lastReceiver, ...} =>
            (Lock'.lock lock;
             if has (ch, many) then
               Waiting'.length (!firstSender, Waiting'.length (!lastSender, 0))
               + Waiting'.length (!firstReceiver, Waiting'.length (!lastReceiver, 0))
               before Lock'.unlock lock
             else (Lock'.unlock lock; count ()))
        | _ => 1
    in
      Thread.atomicBegin ();
      count () before Thread.atomicEnd ()
    end

  (* A channel and at most one partner, who waits for this alone: what happens most, without a loop. They are functions of
     their own, so that what the rare cases need does not make the frames larger in which threads wait: those are `sendAny`
     and `recvAny`, which are entered in an atomic section, and leave it. *)

  fun send (ch, message) =
    (noinline ();
     Thread.atomicBegin ();
     case !ch of
       one as RECEIVER thread =>
         if swap (ch, one, IDLE) then give (thread, onlyOf thread, message)
         else sendAny (ch, message)
     | RECEIVING {synched, thread, waiting} =>
         if not (Workers'.several ()) andalso stamp thread = waiting then
           (ch := IDLE;
            give (thread, synched, message))
         else sendAny (ch, message)
     | idle as IDLE =>
         if swapToWait (ch, idle, SENDER {message = message, thread = #thread (alone ch)}) then
           Sending.awaitTaken ()
         else sendAny (ch, message)
     | _ => sendAny (ch, message))

  and sendAny (ch, message) =
    let
      val () = noinline ()
      val one = !ch
      fun again () = sendAny (ch, message)
      fun more () = (inflate (ch, one); again ())
    in
      case beneath one of
        RECEIVING {synched, thread, waiting} =>
          if isPast (thread, waiting) then (drop (ch, one); again ())
          else if isAlone (waiting, synched) then
            if swap (ch, one, IDLE) then give (thread, synched, message) else again ()
          else more ()
      | SENDING {thread, waiting, ...} =>
          if isPast (thread, waiting) then (drop (ch, one); again ()) else more ()
      | SENDER _ => more ()
      | MANY {lock, priority, fuel, idle, firstSender, lastSender, firstReceiver, lastReceiver} =>
          let
            val senders = {front = firstSender, back = lastSender}
            val receivers = {front = firstReceiver, back = lastReceiver}
          in
            Lock'.lock lock;
            if not (has (ch, one)) then (Lock'.unlock lock; again ())
            else
              case Waiting'.take receivers of
                Waiting'.ITEM {thread, synched, ...} =>
                  (deliver (thread, synched, message);
                   priority := 1;
                   settle (ch, priority, idle, senders, receivers);
                   Lock'.unlock lock;
                   switchTo thread)
              | Waiting'.NOBODY =>
                  (Waiting'.contend (senders, idle);
                   if inScope () then
                     let
                       val w = aloneInScope ch
                     in
                       if isOver w then ()
                       else ignore (Waiting'.addChoice (senders, w, message, fuel));
                       Lock'.unlock lock;
                       awaitInScope (w, sending)
                     end
                   else
                     (Waiting'.add (senders, alone ch, message);
                      Lock'.unlock lock;
                      Sending.awaitTaken ()))
          end
      | RECEIVER thread =>
          if swap (ch, one, IDLE) then give (thread, onlyOf thread, message) else again ()
      (* IDLE, since a moment ago or for a thread in a scope *)
      | _ =>
          if not (inScope ()) then (Thread.atomicEnd (); send (ch, message))
          else if Workers'.several () then more ()
          else
            let
              val w as {synched, thread, waiting} = aloneInScope ch
            in
              if isOver w then ()
              else
                ch :=
                  SENDING
                    {message = message, synched = synched, thread = thread, waiting = waiting};
              awaitInScope (w, sending)
            end
    end

  fun recv ch =
    (noinline ();
     Thread.atomicBegin ();
     case !ch of
       one as SENDER {message, thread} =>
         if swap (ch, one, IDLE) then
           (setStamp (thread, onlyOf thread);
            Thread.ready thread;
            Thread.atomicEnd ();
            message)
         else recvAny ch
     | idle as IDLE =>
         if swapToWait (ch, idle, RECEIVER (#thread (alone ch))) then Receiving.await ()
         else recvAny ch
     | _ => recvAny ch)

  and recvAny ch =
    let
      val () = noinline ()
      val one = !ch
      fun again () = recvAny ch
      fun more () = (inflate (ch, one); again ())
      fun had (thread, synched, message) =
        (setStamp (thread, synched);
         Thread.ready thread;
         Thread.atomicEnd ();
         message)
    in
      case beneath one of
        SENDING {message, synched, thread, waiting} =>
          if isPast (thread, waiting) then (drop (ch, one); again ())
          else if isAlone (waiting, synched) then
            if swap (ch, one, IDLE) then had (thread, synched, message) else again ()
          else more ()
      | RECEIVING {thread, waiting, ...} =>
          if isPast (thread, waiting) then (drop (ch, one); again ()) else more ()
      | RECEIVER _ => more ()
      | MANY {lock, priority, fuel, idle, firstSender, lastSender, firstReceiver, lastReceiver} =>
          let
            val senders = {front = firstSender, back = lastSender}
            val receivers = {front = firstReceiver, back = lastReceiver}
          in
            Lock'.lock lock;
            if not (has (ch, one)) then (Lock'.unlock lock; again ())
            else
              case Waiting'.take senders of
                Waiting'.ITEM {thread, synched, offer, ...} =>
                  (setStamp (thread, synched);
                   priority := 1;
                   settle (ch, priority, idle, senders, receivers);
                   Thread.ready thread;
                   Lock'.release lock;
                   offer)
              | Waiting'.NOBODY =>
                  (Waiting'.contend (receivers, idle);
                   if inScope () then
                     let
                       val w = aloneInScope ch
                     in
                       if isOver w then ()
                       else ignore (Waiting'.addChoice (receivers, w, (), fuel));
                       Lock'.unlock lock;
                       awaitInScope (w, receiving);
                       collect ()
                     end
                   else
                     (Waiting'.add (receivers, alone ch, ());
                      Lock'.unlock lock;
                      Receiving.await ()))
          end
      | SENDER {message, thread} =>
          if swap (ch, one, IDLE) then had (thread, onlyOf thread, message) else again ()
      | _ =>
          if not (inScope ()) then (Thread.atomicEnd (); recv ch)
          else if Workers'.several () then more ()
          else
            let
              val w = aloneInScope ch
            in
              if isOver w then () else ch := RECEIVING w;
              awaitInScope (w, receiving);
              collect ()
            end
    end

  (* In an atomic section, which goes on: the partner who gets the message, or whose message is had, if there is one. He is
     claimed, and not ready yet. *)

  fun sendNow (ch, message) =
    let
      val () = noinline ()
      val one = !ch
      fun again () = sendNow (ch, message)
      fun give (thread, synched) =
        if swap (ch, one, IDLE) then (deliver (thread, synched, message); SOME thread) else again ()
    in
      case beneath one of
        RECEIVER thread => give (thread, onlyOf thread)
      | RECEIVING {synched, thread, waiting} =>
          if isPast (thread, waiting) then NONE
          else if isAlone (waiting, synched) then give (thread, synched)
          else (inflate (ch, one); again ())
      | MANY {lock, priority, idle, firstSender, lastSender, firstReceiver, lastReceiver, ...} =>
          let
            val receivers = {front = firstReceiver, back = lastReceiver}
          in
            Lock'.lock lock;
            if not (has (ch, one)) then (Lock'.unlock lock; again ())
            else
              case Waiting'.take receivers of
                Waiting'.ITEM {thread, synched, ...} =>
                  (deliver (thread, synched, message);
                   priority := 1;
                   settle (ch, priority, idle, {front = firstSender, back = lastSender}, receivers);
                   Lock'.unlock lock;
                   SOME thread)
              | Waiting'.NOBODY => (Lock'.unlock lock; NONE)
          end
      | _ => NONE
    end

  fun recvNow ch =
    let
      val () = noinline ()
      val one = !ch
      fun again () = recvNow ch
      fun have (thread, synched, message) =
        if swap (ch, one, IDLE) then (setStamp (thread, synched); SOME (thread, message))
        else again ()
    in
      case beneath one of
        SENDER {message, thread} => have (thread, onlyOf thread, message)
      | SENDING {message, synched, thread, waiting} =>
          if isPast (thread, waiting) then NONE
          else if isAlone (waiting, synched) then have (thread, synched, message)
          else (inflate (ch, one); again ())
      | MANY {lock, priority, idle, firstSender, lastSender, firstReceiver, lastReceiver, ...} =>
          let
            val senders = {front = firstSender, back = lastSender}
          in
            Lock'.lock lock;
            if not (has (ch, one)) then (Lock'.unlock lock; again ())
            else
              case Waiting'.take senders of
                Waiting'.ITEM {thread, synched, offer, ...} =>
                  (setStamp (thread, synched);
                   priority := 1;
                   settle
                     (ch, priority, idle, senders, {front = firstReceiver, back = lastReceiver});
                   Lock'.unlock lock;
                   SOME (thread, offer))
              | Waiting'.NOBODY => (Lock'.unlock lock; NONE)
          end
      | _ => NONE
    end

  fun sendPoll (ch, message) =
    let
      val () = Thread.atomicBegin ()
      val found = sendNow (ch, message)
    in
      case found of
        SOME thread => (switchTo thread; true)
      | NONE => (Thread.atomicEnd (); false)
    end

  fun recvPoll ch =
    let
      val () = Thread.atomicBegin ()
      val found = recvNow ch
    in
      (case found of
         SOME (thread, message) => (Thread.ready thread; SOME message)
       | NONE => NONE)
      before Thread.atomicEnd ()
    end

  (* The three functions of an event run in an atomic section. As above, what is rare is apart. *)

  (* a queue of a channel that is MANY: 0, or its priority as `poll` tells *)
  fun look (lock, priority, idle, queue, ages) =
    (noinline ();
     Lock'.lock lock;
     if Waiting'.isWaiting queue then
       let
         val p = !priority
       in
         if ages then (priority := plus (p, 1); idle := 0) else ();
         Lock'.unlock lock;
         plus (p, 2)
       end
     else (Lock'.unlock lock; 0))

  (* Likewise of the other states. *)
  fun light (ch, state, ages) =
    case state of
      AGED {beneath, priority} =>
        (if ages then
           ignore (swap (ch, state, AGED {beneath = beneath, priority = plus (priority, 1)}))
         else ();
         plus (priority, 2))
    | _ => (if ages then ignore (swap (ch, state, AGED {beneath = state, priority = 2})) else (); 3)

  fun canSend (RECEIVER _) = true
    | canSend (RECEIVING {thread, waiting, ...}) = not (isPast (thread, waiting))
    | canSend _ = false

  fun canReceive (SENDER _) = true
    | canReceive (SENDING {thread, waiting, ...}) = not (isPast (thread, waiting))
    | canReceive _ = false

  (* Offers it. A partner may have come since the poll, from another worker, and the events of the own choice may be both
     ends of the channel: all that is for MANY. *)

  fun sendBlock (ch, message, w as {synched, thread = self, waiting} : waiter) =
    let
      val () = noinline ()
      fun stand old =
        if isAlone (waiting, synched) then
          let
            val new =
              if synched = only waiting then SENDER {message = message, thread = self}
              else SENDING {message = message, synched = synched, thread = self, waiting = waiting}
          in
            if swap (ch, old, new) then WAITS else sendBlock (ch, message, w)
          end
        else more old
      and more old = (inflate (ch, old); sendBlock (ch, message, w))
    in
      case !ch of
        idle as IDLE => stand idle
      | one as SENDING {thread, waiting, ...} =>
          if isPast (thread, waiting) then stand one else more one
      | one as RECEIVING {thread, waiting, ...} =>
          if isPast (thread, waiting) then stand one else more one
      | many as MANY {lock, priority, fuel, idle, firstSender, lastSender, firstReceiver,
                      lastReceiver} =>
          let
            val senders = {front = firstSender, back = lastSender}
          in
            Lock'.lock lock;
            if not (has (ch, many)) then (Lock'.unlock lock; sendBlock (ch, message, w))
            else
              (case if Workers'.several () then
                      Waiting'.match ({front = firstReceiver, back = lastReceiver}, w)
                    else Waiting'.NONE_LIVE of
                 Waiting'.NONE_LIVE =>
                   (Waiting'.contend (senders, idle);
                    Waiting'.addChoice (senders, w, message, fuel))
               | Waiting'.MATCH (Waiting'.ITEM {thread, synched, ...}) =>
                   (deliver (thread, synched, message);
                    Transaction'.commit w;
                    priority := 1;
                    Thread.ready thread;
                    MATCHED)
               | _ => GONE)
              before Lock'.unlock lock
          end
      | state => more state
    end

  fun sendEvt (ch, message) =
    let
      fun poll ages =
        case !ch of
          IDLE => 0
        | MANY {lock, priority, idle, firstReceiver, lastReceiver, ...} =>
            look (lock, priority, idle, {front = firstReceiver, back = lastReceiver}, ages)
        | one => if canSend (beneath one) then light (ch, one, ages) else 0
      fun commit () =
        case sendNow (ch, message) of
          SOME thread => Event'.SWITCH thread
        | NONE => Event'.LOST
      fun block (w as {synched, thread, waiting}) =
        let
          fun stand () =
            (ch :=
               (if synched = only waiting then SENDER {message = message, thread = thread}
                else
                  SENDING
                    {message = message, synched = synched, thread = thread, waiting = waiting});
             WAITS)
        in
          if Workers'.several () then sendBlock (ch, message, w)
          else
            case !ch of
              IDLE => stand ()
            | SENDING {thread = other, waiting = his, ...} =>
                if isPast (other, his) then stand () else sendBlock (ch, message, w)
            | _ => sendBlock (ch, message, w)
        end
    in
      Event'.base ({poll = poll,
                    commit = commit,
                    block = block,
                    reason = sending,
                    place = placeOf ch},
                   forget)
    end

  fun recvBlock (ch, w as {synched, thread = self, waiting} : waiter) =
    let
      val () = noinline ()
      fun stand old =
        if isAlone (waiting, synched) then
          let
            val new = if synched = only waiting then RECEIVER self else RECEIVING w
          in
            if swap (ch, old, new) then WAITS else recvBlock (ch, w)
          end
        else more old
      and more old = (inflate (ch, old); recvBlock (ch, w))
    in
      case !ch of
        idle as IDLE => stand idle
      | one as SENDING {thread, waiting, ...} =>
          if isPast (thread, waiting) then stand one else more one
      | one as RECEIVING {thread, waiting, ...} =>
          if isPast (thread, waiting) then stand one else more one
      | many as MANY {lock, priority, fuel, idle, firstSender, lastSender, firstReceiver,
                      lastReceiver} =>
          let
            val receivers = {front = firstReceiver, back = lastReceiver}
          in
            Lock'.lock lock;
            if not (has (ch, many)) then (Lock'.unlock lock; recvBlock (ch, w))
            else
              (case if Workers'.several () then
                      Waiting'.match ({front = firstSender, back = lastSender}, w)
                    else Waiting'.NONE_LIVE of
                 Waiting'.NONE_LIVE =>
                   (Waiting'.contend (receivers, idle);
                    Waiting'.addChoice (receivers, w, (), fuel))
               | Waiting'.MATCH (Waiting'.ITEM {thread, synched, offer, ...}) =>
                   (leave (self, offer);
                    Transaction'.commit w;
                    setStamp (thread, synched);
                    priority := 1;
                    Thread.ready thread;
                    MATCHED)
               | _ => GONE)
              before Lock'.unlock lock
          end
      | state => more state
    end

  fun recvEvt ch =
    let
      fun poll ages =
        case !ch of
          IDLE => 0
        | MANY {lock, priority, idle, firstSender, lastSender, ...} =>
            look (lock, priority, idle, {front = firstSender, back = lastSender}, ages)
        | one => if canReceive (beneath one) then light (ch, one, ages) else 0
      fun commit () =
        case recvNow ch of
          SOME (thread, message) =>
            (leave (Thread.self (), message); Event'.READY thread)
        | NONE => Event'.LOST
      fun block (w as {synched, thread, waiting}) =
        let
          fun stand () =
            (ch := (if synched = only waiting then RECEIVER thread else RECEIVING w); WAITS)
        in
          if Workers'.several () then recvBlock (ch, w)
          else
            case !ch of
              IDLE => stand ()
            | RECEIVING {thread = other, waiting = his, ...} =>
                if isPast (other, his) then stand () else recvBlock (ch, w)
            | _ => recvBlock (ch, w)
        end
    in
      Event'.received
        {poll = poll, commit = commit, block = block, reason = receiving, place = placeOf ch}
    end
end
