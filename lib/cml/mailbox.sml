(* Mailbox: channels without bounds; a send never blocks. *)

signature MAILBOX =
sig
  type 'a mbox
  type 'a event

  (* a new one *)
  val mailbox : unit -> 'a mbox
  val sameMailbox : 'a mbox * 'a mbox -> bool
  val send : 'a mbox * 'a -> unit
  (* the oldest message; blocks until there is one *)
  val recv : 'a mbox -> 'a
  val recvEvt : 'a mbox -> 'a event
  val recvPoll : 'a mbox -> 'a option
end

structure Mailbox' :>
sig
  include MAILBOX
  (* drops messages and those who wait *)
  val reset : 'a mbox -> unit
end where type 'a event = 'a Event'.event =
struct
  open Transaction'

  type 'a event = 'a Event'.event

  (* There are messages, or there are receivers, or neither. *)
  type 'a mbox =
    {lock : int ref, priority : int ref, fuel : int ref, made : string, messages : 'a Queue'.queue,
     receivers : unit Waiting'.queue}

  (* reason of a thread dump *)
  val waitingForMail = ParkReason'.mailbox
  structure ForMail = AwaitFn' (val reason = waitingForMail)

  fun mailbox () : 'a mbox =
    {lock = Lock'.new (), priority = ref 1, fuel = ref 16, made = calledAt (), messages = Queue'.new (),
     receivers = Waiting'.new ()}

  fun sameMailbox ({lock = a, ...} : 'a mbox, {lock = b, ...} : 'a mbox) = a = b

  fun reset ({lock, priority, messages = {front, back}, receivers, ...} : 'a mbox) =
    (Lock'.take lock;
     priority := 1;
     front := [];
     back := [];
     Waiting'.clear receivers;
     Lock'.release lock)

  fun send ({lock, priority, messages, receivers, ...} : 'a mbox, x) =
    (Lock'.take lock;
     case Waiting'.take receivers of
       Waiting'.NOBODY =>
         let val outruns = not (Queue'.isEmpty messages)
         in
           Queue'.add (messages, x);
           Lock'.release lock;
           (* the receivers get a turn before there are more messages *)
           if outruns then Thread.yield () else ()
         end
     | Waiting'.ITEM {thread, synched, ...} =>
         (leave (thread, x);
          setStamp (thread, synched);
          priority := 1;
          Lock'.release lock;
          Thread.switch thread))

  fun recv ({lock, priority, made, messages, receivers, ...} : 'a mbox) =
    (Lock'.take lock;
     case Queue'.take messages of
       SOME x => (priority := 1; Lock'.release lock; x)
     | NONE =>
         let
           val self = Thread.self ()
           val stamp = begin self
         in
           waitsFor (self, made);
           Waiting'.add (receivers, {synched = synched (stamp, 0), thread = self, waiting = stamp}, ());
           Lock'.unlock lock;
           ForMail.await ()
         end)

  fun recvPoll ({lock, priority, messages, ...} : 'a mbox) =
    let
      val _ = Lock'.take lock
      val found = Queue'.take messages
    in
      if Option.isSome found then priority := 1 else ();
      Lock'.release lock;
      found
    end

  fun recvEvt ({lock, priority, fuel, made, messages, receivers} : 'a mbox) =
    let
      fun poll () = not (Queue'.isEmpty messages)
      fun commit () =
        (Lock'.take lock;
         case Queue'.take messages of
           SOME x => (leave (Thread.self (), x); priority := 1; Lock'.release lock; Event'.WON)
         | NONE => (Lock'.release lock; Event'.LOST))
      (* a message came since the poll, from another worker; the lock is held *)
      fun late w =
        case claim w of
          CLAIMED =>
            (Option.app (fn x => leave (#thread w, x)) (Queue'.take messages);
             Transaction'.commit w;
             priority := 1;
             Lock'.release lock;
             Event'.MATCHED)
        | OVER => (Lock'.release lock; Event'.GONE)
        | BUSY => (Lock'.pause (); late w)
      fun block w =
        (Lock'.take lock;
         if Queue'.isEmpty messages then
           Waiting'.addChoice (receivers, w, (), fuel) before Lock'.release lock
         else late w)
    in
      Event'.received {poll = poll, priority = priority, commit = commit, block = block, reason = waitingForMail, made = made}
    end
end

structure Mailbox : MAILBOX = Mailbox'
