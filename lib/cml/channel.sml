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
end =
struct
  open Transaction'

  type 'a chan =
    {lock : int ref, priority : int ref, senders : 'a Waiting'.queue, receivers : unit Waiting'.queue}

  (* reasons of a thread dump *)
  val sending = 1
  val receiving = 2

  fun channel () : 'a chan =
    {lock = Lock'.new (), priority = ref 1, senders = Waiting'.new (), receivers = Waiting'.new ()}

  fun sameChannel ({lock = a, ...} : 'a chan, {lock = b, ...} : 'a chan) = a = b

  fun reset ({lock, priority, senders, receivers} : 'a chan) =
    (Lock'.take lock;
     priority := 1;
     Waiting'.clear senders;
     Waiting'.clear receivers;
     Lock'.release lock)

  (* the claimed receiver gets the message *)
  fun deliver (waiter : waiter, message) = (leave (#thread waiter, message); commit waiter)

  (* what the running thread waits with when it offers nothing else *)
  fun alone () =
    let
      val self = Thread.self ()
      val waiting = begin self
    in
      {synched = waiting + 2, thread = self, waiting = waiting}
    end

  fun send ({lock, priority, senders, receivers} : 'a chan, message) =
    (Lock'.take lock;
     case Waiting'.take receivers of
       SOME {waiter, ...} =>
         (deliver (waiter, message);
          priority := 1;
          Lock'.release lock;
          Thread.switch (#thread waiter))
     | NONE =>
         let val w as {thread, waiting, ...} = alone ()
         in
           Waiting'.add (senders, w, message);
           Lock'.unlock lock;
           wait (thread, waiting, sending)
         end)

  fun recv ({lock, priority, senders, receivers} : 'a chan) =
    (Lock'.take lock;
     case Waiting'.take senders of
       SOME {waiter, offer} =>
         (commit waiter;
          priority := 1;
          Lock'.release lock;
          Thread.ready (#thread waiter);
          offer)
     | NONE =>
         let val w as {thread, waiting, ...} = alone ()
         in
           Waiting'.add (receivers, w, ());
           Lock'.unlock lock;
           wait (thread, waiting, receiving);
           collect ()
         end)

  fun sendPoll ({lock, priority, receivers, ...} : 'a chan, message) =
    (Lock'.take lock;
     case Waiting'.take receivers of
       SOME {waiter, ...} =>
         (deliver (waiter, message);
          priority := 1;
          Lock'.release lock;
          Thread.switch (#thread waiter);
          true)
     | NONE => (Lock'.release lock; false))

  fun recvPoll ({lock, priority, senders, ...} : 'a chan) =
    (Lock'.take lock;
     case Waiting'.take senders of
       SOME {waiter, offer} =>
         (commit waiter;
          priority := 1;
          Lock'.release lock;
          Thread.ready (#thread waiter);
          SOME offer)
     | NONE => (Lock'.release lock; NONE))

  (* below 0 when nobody waits *)
  fun look (lock, priority, queue) =
    let
      val () = Lock'.take lock
      val level = if Waiting'.isWaiting queue then Event'.age priority else ~1
    in
      Lock'.release lock;
      level
    end

  fun sendEvt ({lock, priority, senders, receivers} : 'a chan, message) =
    let
      fun poll () = look (lock, priority, receivers)
      fun commit () =
        (Lock'.take lock;
         case Waiting'.take receivers of
           SOME {waiter, ...} =>
             (deliver (waiter, message);
              priority := 1;
              Lock'.release lock;
              Event'.SWITCH (#thread waiter))
         | NONE => (Lock'.release lock; Event'.LOST))
      fun offer w = (Waiting'.addChoice (senders, w, message); Lock'.release lock; Event'.WAITS)
      fun block w =
        (Lock'.take lock;
         if !Workers'.several then
           case Waiting'.match (receivers, w) of
             Waiting'.NOBODY => offer w
           | Waiting'.TOO_LATE => (Lock'.release lock; Event'.GONE)
           | Waiting'.MATCH {waiter, ...} =>
               (deliver (waiter, message);
                Transaction'.commit w;
                priority := 1;
                Lock'.release lock;
                Thread.ready (#thread waiter);
                Event'.MATCHED)
         else offer w)
    in
      Event'.base ({poll = poll, commit = commit, block = block, reason = sending}, fn () => ())
    end

  fun recvEvt ({lock, priority, senders, receivers} : 'a chan) =
    let
      fun poll () = look (lock, priority, senders)
      fun got (waiter : waiter, message) =
        (leave (Thread.self (), message);
         Transaction'.commit waiter;
         priority := 1;
         Lock'.release lock;
         Thread.ready (#thread waiter))
      fun commit () =
        (Lock'.take lock;
         case Waiting'.take senders of
           SOME {waiter, offer} => (got (waiter, offer); Event'.WON)
         | NONE => (Lock'.release lock; Event'.LOST))
      fun offer w = (Waiting'.addChoice (receivers, w, ()); Lock'.release lock; Event'.WAITS)
      fun block w =
        (Lock'.take lock;
         if !Workers'.several then
           case Waiting'.match (senders, w) of
             Waiting'.NOBODY => offer w
           | Waiting'.TOO_LATE => (Lock'.release lock; Event'.GONE)
           | Waiting'.MATCH {waiter, offer} => (Transaction'.commit w; got (waiter, offer); Event'.MATCHED)
         else offer w)
    in
      Event'.base ({poll = poll, commit = commit, block = block, reason = receiving}, collect)
    end
end
