(* Mailbox: channels with room for messages: without a bound, so that a send never blocks, or with one. *)

(* A mailbox is a cell (see Transaction'), whose states are

     EMPTY --send--> MAIL --send--> MAILS --recv--> MAIL --recv--> EMPTY --recv--> RECEIVER, RECEIVING --send--> EMPTY

   and MANY, as soon as a second thread waits: queues under a lock. When nobody has stood behind another one for a while, the
   cell becomes light again. A mailbox with a bound is always BOUNDED; bounded.sml has all that happens there. *)

signature MAILBOX =
sig
  type 'a mbox
  type 'a event

  (* Makes a mailbox, which is empty. It holds any number of messages. *)
  val mailbox : unit -> 'a mbox
  (* Whether both are the same mailbox. *)
  val sameMailbox : 'a mbox * 'a mbox -> bool
  (* Puts a message behind the others, or gives it to the thread that has waited longest. It blocks only at a mailbox with a
     bound, while that is full. *)
  val send : 'a mbox * 'a -> unit
  (* Takes the oldest message; blocks until there is one. *)
  val recv : 'a mbox -> 'a
  (* Happens when there is a message, and takes it: its result is the oldest one. *)
  val recvEvt : 'a mbox -> 'a event
  (* SOME of the oldest message, which it takes, or NONE when there is none. It does not block. *)
  val recvPoll : 'a mbox -> 'a option
end

(* Channels with room for messages, without a bound or with one; those of SML/NJ have no bound. *)
signature BOUNDED_MAILBOX =
sig
  include MAILBOX

  (* A new one that holds so many messages at most; raises Size when the number is less than 1. A send to it waits while it
     is full; those that wait are served in the order in which they came. *)
  val bounded : int -> 'a mbox
  (* happens when the mailbox has taken the message: at once, unless it is full *)
  val sendEvt : 'a mbox * 'a -> unit event
  (* does not block: false when it is full *)
  val sendPoll : 'a mbox * 'a -> bool
end

structure Mailbox' :> sig
  include BOUNDED_MAILBOX
  (* drops messages and those who wait *)
  val reset : 'a mbox -> unit
end
  where type 'a event = 'a Event'.event =
struct
  open Transaction'

  type 'a event = 'a Event'.event

  (* There are messages, or there are receivers, or neither. The priority is 1, but for MANY and AGED. *)
  datatype 'a state =
      EMPTY
    | MAIL of 'a
    (* two or more; the oldest one, the next ones, and the newest ones, of which the last is first; `sent`: how often one
       was put behind others *)
    | MAILS of {first : 'a, front : 'a list, back : 'a list, sent : int}
    (* a thread that waits for nothing else *)
    | RECEIVER of Thread.thread
    (* a thread that may have other events too. With several workers it has not. *)
    | RECEIVING of {synched : int, thread : Thread.thread, waiting : int}
    (* MAIL or MAILS that was passed over when another event was taken *)
    | AGED of {beneath : 'a state, priority : int}
    | MANY of
        {lock : int ref,
         priority : int ref,
         fuel : int ref,
         idle : int ref,
         sent : int ref,
         messages : 'a Queue'.queue,
         receivers : unit Waiting'.queue}
    (* for ever *)
    | BOUNDED of 'a Bounded'.bounded

  type 'a mbox = 'a state ref

  (* reason of a thread dump *)
  val waitingForMail = ParkReason'.mailbox
  structure ForMail = AwaitFn' (val reason = waitingForMail)

  fun mailbox () = cell EMPTY
  fun bounded n = if n < 1 then raise Size else cell (BOUNDED (Bounded'.new n))
  fun sameMailbox (a : 'a mbox, b) = a = b

  (* What is not light. In an atomic section, as all that follows: with the lock of a cell that is MANY, its state stays so. *)

  fun beneath (AGED {beneath, ...}) = beneath
    | beneath state = state
  (* the other way round: the new state is as old as that one *)
  fun as' (AGED {priority, ...}, state) = AGED {beneath = state, priority = priority}
    | as' (_, state) = state

  (* As `inflate` in sync-var.sml. *)
  fun inflate (box, state) =
    let
      val () = noinline ()
      val lock = Lock'.newHeld ()
      val priority = case state of AGED {priority, ...} => priority | _ => 1
      val messages =
        case beneath state of
          MAIL x => {front = ref [x], back = ref []}
        | MAILS {first, front, back, ...} => {front = ref (first :: front), back = ref back}
        | _ => Queue'.new ()
      val receivers = Waiting'.new ()
    in
      if swap (box,
               state,
               MANY {lock = lock,
                     priority = ref priority,
                     fuel = ref 16,
                     idle = ref 0,
                     sent = ref 0,
                     messages = messages,
                     receivers = receivers})
      then
        (case state of
           RECEIVER thread => Waiting'.add (receivers, single thread, ())
         | RECEIVING w => Waiting'.add (receivers, w, ())
         | _ => ();
         Lock'.unlock lock)
      else ()
    end

  (* What was done may have left nothing in the mailbox: it may be light again. The lock is held. *)
  fun settle (box, priority, idle, messages, receivers) =
    if !priority = 1 andalso Queue'.isEmpty messages andalso Waiting'.isIdle (receivers, idle) then
      box := EMPTY
    else ()

  fun reset box =
    let
      fun clear () =
        case !box of
          many as MANY {lock, priority, messages = {front, back}, receivers, ...} =>
            (Lock'.lock lock;
             if has (box, many) then
               (priority := 1;
                front := [];
                back := [];
                Waiting'.clear receivers;
                Lock'.unlock lock)
             else (Lock'.unlock lock; clear ()))
        | BOUNDED b => Bounded'.reset b
        | state => if swap (box, state, EMPTY) then () else clear ()
    in
      Thread.atomicBegin ();
      clear ();
      Thread.atomicEnd ()
    end

  (* With one worker a receiver that waits runs at once, and each message that is put behind another one gives the receivers
     a turn first, as in SML/NJ. With several no order is promised, and threads that are switched at each message are most
     of what a message costs: so the receiver becomes ready, and the sender goes on for some messages. *)
  val burst = 15

  fun pass (thread, synched, x) =
    if Workers'.severalEver () then
      (deliver (thread, synched, x);
       Thread.ready thread;
       Thread.atomicEnd ())
    else give (thread, synched, x)

  (* The usual cases first; `sendAny` and `recvAny` are all others. *)

  fun send (box, x) =
    (noinline ();
     Thread.atomicBegin ();
     case !box of
       empty as EMPTY => if swap (box, empty, MAIL x) then Thread.atomicEnd () else sendAny (box, x)
     | one as RECEIVER thread =>
         if swap (box, one, EMPTY) then pass (thread, onlyOf thread, x) else sendAny (box, x)
     | BOUNDED b => Bounded'.send (box, b, x)
     | _ => sendAny (box, x))

  (* the receivers get a turn before there are more messages *)
  and outrun sent =
    (Thread.atomicEnd ();
     if and' (sent, burst) = 0 orelse not (Workers'.severalEver ()) then Thread.yield () else ())

  and append (box, some, x) =
    let
      val (more, sent) =
        case beneath some of
          MAILS {first, front, back, sent} =>
            let
              val sent = plus (sent, 1)
            in
              (MAILS {first = first, front = front, back = x :: back, sent = sent}, sent)
            end
        | MAIL first => (MAILS {first = first, front = [], back = [x], sent = 1}, 1)
        | _ => (MAIL x, 1)
    in
      if swap (box, some, as' (some, more)) then outrun sent else sendAny (box, x)
    end

  and sendAny (box, x) =
    (noinline ();
     case !box of
       one as MAIL _ => append (box, one, x)
     | some as MAILS _ => append (box, some, x)
     | aged as AGED _ => append (box, aged, x)
     | one as RECEIVING {synched, thread, waiting} =>
         if isPast (thread, waiting) then (ignore (swap (box, one, EMPTY)); sendAny (box, x))
         else if isAlone (waiting, synched) then
           if swap (box, one, EMPTY) then pass (thread, synched, x) else sendAny (box, x)
         else (inflate (box, one); sendAny (box, x))
     | many as MANY {lock, priority, idle, sent, messages, receivers, ...} =>
         (Lock'.lock lock;
          if not (has (box, many)) then (Lock'.unlock lock; sendAny (box, x))
          else
            case Waiting'.take receivers of
              Waiting'.NOBODY =>
                let
                  val outruns = not (Queue'.isEmpty messages)
                  val n = plus (!sent, 1)
                in
                  if outruns then sent := n else ();
                  Queue'.add (messages, x);
                  Lock'.unlock lock;
                  if outruns then outrun n else Thread.atomicEnd ()
                end
            | Waiting'.ITEM {thread, synched, ...} =>
                (deliver (thread, synched, x);
                 priority := 1;
                 settle (box, priority, idle, messages, receivers);
                 if Workers'.severalEver () then (Thread.ready thread; Lock'.release lock)
                 else (Lock'.unlock lock; switchTo thread)))
     | BOUNDED b => Bounded'.send (box, b, x)
     | _ => (Thread.atomicEnd (); send (box, x)))

  (* In an atomic section, which goes on: the oldest message, if there is one. *)
  fun recvNow box =
    let
      val () = noinline ()
      val some = !box
      fun take (x, left) = if swap (box, some, left) then SOME x else recvNow box
    in
      case beneath some of
        MAIL x => take (x, EMPTY)
      | MAILS {first, front = x :: rest, back, sent} =>
          take (first,
                case (rest, back) of
                  ([], []) => MAIL x
                | _ => MAILS {first = x, front = rest, back = back, sent = sent})
      | MAILS {first, front = [], back = [x], ...} => take (first, MAIL x)
      | MAILS {first, front = [], back, sent} =>
          (* Many are turned round: under a lock, so that it is done once. *)
          if Workers'.several () then (inflate (box, some); recvNow box)
          else
            (case rev back of
               x :: rest => take (first, MAILS {first = x, front = rest, back = [], sent = sent})
             | [] => take (first, EMPTY))
      | MANY {lock, priority, idle, messages, receivers, ...} =>
          (Lock'.lock lock;
           if not (has (box, some)) then (Lock'.unlock lock; recvNow box)
           else
             let
               val found = Queue'.take messages
             in
               if Option.isSome found then
                 (priority := 1;
                  settle (box, priority, idle, messages, receivers))
               else ();
               Lock'.unlock lock;
               found
             end)
      | BOUNDED b => Bounded'.recvNow b
      | _ => NONE
    end

  fun recv box =
    (noinline ();
     Thread.atomicBegin ();
     case !box of
       one as MAIL x => if swap (box, one, EMPTY) then (Thread.atomicEnd (); x) else recvAny box
     | empty as EMPTY =>
         if swapToWait (box, empty, RECEIVER (#thread (alone box))) then ForMail.await ()
         else recvAny box
     | BOUNDED b => Bounded'.recv (box, b)
     | _ => recvAny box)

  and recvAny box =
    (noinline ();
     case recvNow box of
       SOME x => (Thread.atomicEnd (); x)
     | NONE =>
         case !box of
           one as RECEIVING {thread, waiting, ...} =>
             if isPast (thread, waiting) then
               (ignore (swap (box, one, EMPTY)); Thread.atomicEnd (); recv box)
             else (inflate (box, one); recvAny box)
         | one as RECEIVER _ => (inflate (box, one); recvAny box)
         | many as MANY {lock, fuel, idle, messages, receivers, ...} =>
             (Lock'.lock lock;
              if has (box, many) andalso Queue'.isEmpty messages then
                (Waiting'.contend (receivers, idle);
                 if inScope () then
                   let
                     val w = aloneInScope box
                   in
                     if isOver w then () else ignore (Waiting'.addChoice (receivers, w, (), fuel));
                     Lock'.unlock lock;
                     awaitInScope (w, waitingForMail);
                     collect ()
                   end
                 else
                   (Waiting'.add (receivers, alone box, ());
                    Lock'.unlock lock;
                    ForMail.await ()))
              else (Lock'.unlock lock; recvAny box))
         | BOUNDED b => Bounded'.recv (box, b)
         (* for a thread in a scope; or there is a message since a moment ago *)
         | empty as EMPTY =>
             if not (inScope ()) then (Thread.atomicEnd (); recv box)
             else if Workers'.several () then (inflate (box, empty); recvAny box)
             else
               let
                 val w = aloneInScope box
               in
                 if isOver w then () else box := RECEIVING w;
                 awaitInScope (w, waitingForMail);
                 collect ()
               end
         | _ => (Thread.atomicEnd (); recv box))

  fun recvPoll box = (Thread.atomicBegin (); recvNow box before Thread.atomicEnd ())

  fun recvEvt box =
    let
      fun poll ages =
        case !box of
          EMPTY => 0
        | RECEIVER _ => 0
        | RECEIVING _ => 0
        | MANY {messages, priority, idle, ...} =>
            if Queue'.isEmpty messages then 0
            else
              let
                val p = !priority
              in
                if ages then (priority := plus (p, 1); idle := 0) else ();
                plus (p, 2)
              end
        | BOUNDED b => Bounded'.recvPrio (b, ages)
        | old as AGED {beneath, priority} =>
            (if ages then
               ignore (swap (box, old, AGED {beneath = beneath, priority = plus (priority, 1)}))
             else ();
             plus (priority, 2))
        | some =>
            (if ages then ignore (swap (box, some, AGED {beneath = some, priority = 2})) else (); 3)
      fun commit () =
        case recvNow box of
          SOME x => (leave (Thread.self (), x); Event'.WON)
        | NONE => Event'.LOST
      fun block w =
        let
          val () = noinline ()
          val {synched, thread = self, waiting} = w
          fun again () = block w
          fun stand old =
            if isAlone (waiting, synched) then
              let
                val new = if synched = only waiting then RECEIVER self else RECEIVING w
              in
                if swap (box, old, new) then WAITS else again ()
              end
            else (inflate (box, old); again ())
          (* a message came since the poll, from another worker; the lock is held *)
          fun late messages =
            if seize w then
              (Option.app (fn x => leave (self, x)) (Queue'.take messages);
               Transaction'.commit w;
               MATCHED)
            else GONE
        in
          case !box of
            empty as EMPTY => stand empty
          | one as RECEIVING {thread, waiting, ...} =>
              if isPast (thread, waiting) then stand one else (inflate (box, one); again ())
          | many as MANY {lock, priority, fuel, idle, messages, receivers, ...} =>
              (Lock'.lock lock;
               if not (has (box, many)) then (Lock'.unlock lock; again ())
               else
                 (if Queue'.isEmpty messages then
                    (Waiting'.contend (receivers, idle);
                     Waiting'.addChoice (receivers, w, (), fuel))
                  else (priority := 1; late messages))
                 before Lock'.unlock lock)
          | BOUNDED b => Bounded'.recvBlock (b, w)
          | state => (inflate (box, state); again ())
        end
    in
      Event'.received
        {poll = poll, commit = commit, block = block, reason = waitingForMail, place = placeOf box}
    end

  (* Without a bound there is always room. *)
  fun sendEvt (box, x) =
    case !box of
      BOUNDED b => Bounded'.sendEvt (box, b, x)
    | _ => Event'.wrap (Event'.alwaysEvt (), fn () => send (box, x))

  fun sendPoll (box, x) =
    case !box of
      BOUNDED b => (Thread.atomicBegin (); Bounded'.sendPoll (b, x))
    | _ => (send (box, x); true)
end

structure Mailbox : BOUNDED_MAILBOX = Mailbox'
