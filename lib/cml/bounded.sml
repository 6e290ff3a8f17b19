(* Bounded': what stands in the cell of a mailbox with a bound (Mailbox.bounded). For the library.

   It has its messages, the threads that wait for one, and those that wait for room, each with its message; all under a lock.
   A cell with a bound has no lighter state, and never another one.

   Keeps, whenever the lock is free:
   B1  There are at most `bound` messages, and at least one fits.
   B2  While a thread waits for a message there is none; while one waits for room there are `bound` messages. So never do both
       wait, and nothing that is offered here has to be matched with what another thread offers.
   B3  Messages leave in the order in which their sends began: who waits for room is served before who comes later.

   B2 is why room that a receiver makes is filled at once, under the same lock, by the first thread that waits for it.
   All functions run in an atomic section, which goes on, but for those whose comment says that they leave it. *)
structure Bounded' =
struct
  open Transaction'

  type 'a bounded =
    {bound : int,
     count : int ref,
     lock : int ref,
     (* of receiving and of sending, as events *)
     mail : int ref,
     room : int ref,
     messages : 'a Queue'.queue,
     receivers : unit Waiting'.queue,
     receiversFuel : int ref,
     senders : 'a Waiting'.queue,
     sendersFuel : int ref}

  (* reasons of a thread dump *)
  val waitingForMail = ParkReason'.mailbox
  val waitingForRoom = ParkReason'.room
  structure ForMail = AwaitFn' (val reason = waitingForMail)
  structure ForRoom = AwaitFn' (val reason = waitingForRoom)

  fun new bound : 'a bounded =
    {bound = bound,
     count = ref 0,
     lock = Lock'.new (),
     mail = ref 1,
     room = ref 1,
     messages = Queue'.new (),
     receivers = Waiting'.new (),
     receiversFuel = ref 16,
     senders = Waiting'.new (),
     sendersFuel = ref 16}

  fun reset
    ({count, lock, mail, room, messages = {front, back}, receivers, senders, ...} : 'a bounded) =
    (Lock'.lock lock;
     count := 0;
     mail := 1;
     room := 1;
     front := [];
     back := [];
     Waiting'.clear receivers;
     Waiting'.clear senders;
     Lock'.unlock lock)

  (* -- with the lock *)

  fun hasRoom ({count, bound, ...} : 'a bounded) = !count < bound

  fun add ({count, messages, ...} : 'a bounded, x) =
    (Queue'.add (messages, x);
     count := plus (!count, 1))

  (* There is room: the first thread that waits for it has sent. It becomes ready. *)
  fun refill (b as {senders, ...} : 'a bounded) =
    case Waiting'.take senders of
      Waiting'.NOBODY => ()
    | Waiting'.ITEM {thread, synched, offer, ...} =>
        (setStamp (thread, synched);
         add (b, offer);
         Thread.ready thread)

  (* The oldest message; `refill` is the caller's. *)
  fun oldest ({count, mail, messages, ...} : 'a bounded) =
    case Queue'.take messages of
      NONE => NONE
    | found =>
        (count := minus (!count, 1);
         mail := 1;
         found)

  (* Sends, if it need not wait. The receiver that has got it is committed, and not ready yet. *)
  datatype sent = GIVEN of Thread.thread | ADDED | FULL

  fun sendNow (b as {room, receivers, ...} : 'a bounded, x) =
    case Waiting'.take receivers of
      Waiting'.ITEM {thread, synched, ...} =>
        (deliver (thread, synched, x);
         room := 1;
         GIVEN thread)
    | Waiting'.NOBODY =>
        if hasRoom b then
          (add (b, x);
           room := 1;
           ADDED)
        else FULL

  (* -- operations; these leave the atomic section *)

  (* A receiver that waits becomes ready, and does not run at once as with a mailbox without a bound: so a sender fills the
     places while it runs, and the receiver empties them, with two switches for `bound` messages instead of for each.
     `cell` has the place for reports. *)
  fun send (cell, b as {lock, senders, sendersFuel, ...} : 'a bounded, x) =
    (noinline ();
     Lock'.lock lock;
     case sendNow (b, x) of
       GIVEN thread => (Thread.ready thread; Lock'.release lock)
     | ADDED => Lock'.release lock
     | FULL =>
         if inScope () then
           let
             val w = aloneInScope cell
           in
             if isOver w then () else ignore (Waiting'.addChoice (senders, w, x, sendersFuel));
             Lock'.unlock lock;
             awaitInScope (w, waitingForRoom)
           end
         else
           (Waiting'.add (senders, alone cell, x);
            Lock'.unlock lock;
            ForRoom.awaitTaken ()))

  fun sendPoll (b as {lock, ...} : 'a bounded, x) =
    (Lock'.lock lock;
     (case sendNow (b, x) of
        GIVEN thread => (Thread.ready thread; true)
      | ADDED => true
      | FULL => false)
     before Lock'.release lock)

  fun recv (cell, b as {lock, receivers, receiversFuel, ...} : 'a bounded) =
    (noinline ();
     Lock'.lock lock;
     case oldest b of
       SOME x =>
         (refill b;
          Lock'.release lock;
          x)
     | NONE =>
         if inScope () then
           let
             val w = aloneInScope cell
           in
             if isOver w then () else ignore (Waiting'.addChoice (receivers, w, (), receiversFuel));
             Lock'.unlock lock;
             awaitInScope (w, waitingForMail);
             collect ()
           end
         else
           (Waiting'.add (receivers, alone cell, ());
            Lock'.unlock lock;
            ForMail.await ()))

  (* -- as events *)

  (* The oldest message, if there is one. *)
  fun recvNow (b as {lock, ...} : 'a bounded) =
    let
      val () = Lock'.lock lock
      val found = oldest b
    in
      if Option.isSome found then refill b else ();
      Lock'.unlock lock;
      found
    end

  (* 0, or a priority as `poll` tells *)
  fun look (priority, ages) =
    let
      val p = !priority
    in
      if ages then priority := plus (p, 1) else ();
      plus (p, 2)
    end

  fun recvPrio ({messages, mail, ...} : 'a bounded, ages) =
    if Queue'.isEmpty messages then 0 else look (mail, ages)

  (* A message may have come since the poll, from another worker. Nobody looks for other waiters while he has claimed this
     one, so it is committed before. *)
  fun recvBlock (b as {lock, messages, receivers, receiversFuel, ...} : 'a bounded, w : waiter) =
    (noinline ();
     Lock'.lock lock;
     (if Queue'.isEmpty messages then Waiting'.addChoice (receivers, w, (), receiversFuel)
      else if seize w then
        (Option.app (fn x => leave (#thread w, x)) (oldest b);
         Transaction'.commit w;
         refill b;
         MATCHED)
      else GONE)
     before Lock'.unlock lock)

  fun sendEvt (cell, b as {lock, room, senders, sendersFuel, ...} : 'a bounded, x) =
    let
      (* While somebody waits for a message there is room. *)
      fun poll ages = if hasRoom b then look (room, ages) else 0
      fun commit () =
        let
          val () = Lock'.lock lock
          val sent = sendNow (b, x)
        in
          Lock'.unlock lock;
          case sent of
            GIVEN thread => Event'.READY thread
          | ADDED => Event'.WON
          | FULL => Event'.LOST
        end
      (* There may be room since the poll; as above. *)
      fun block w =
        (noinline ();
         Lock'.lock lock;
         (if not (hasRoom b) then Waiting'.addChoice (senders, w, x, sendersFuel)
          else if seize w then
            (Transaction'.commit w;
             case sendNow (b, x) of
               GIVEN thread => Thread.ready thread
             | _ => ();
             MATCHED)
          else GONE)
         before Lock'.unlock lock)
    in
      Event'.base ({poll = poll,
                    commit = commit,
                    block = block,
                    reason = waitingForRoom,
                    place = placeOf cell},
                   forget)
    end
end
