(* Event', Waiting', Lock': first-class synchronous operations, and what base events are made of. For the library.

   After Reppy, Russo and Xiao, Parallel Concurrent ML, ICFP 2009, and Reppy, Concurrent Programming in ML, 1999. The
   protocol, and why no wake-up is lost, is in docs/reference/cml.md; a model of it is explored by
   tests/heavy/commit-model.sml.

   A synchronisation of a thread is a *transaction*. Its state is a word of the thread, the stamp, so it costs no memory:

     WAITING 4g --claim--> CLAIMED 4g+1 --commit--> SYNCHED 4(g+i)+2: event i of the choice has happened
         ^                     |                            4g+3: the only event has happened
         +------release--------+

   Each transaction of a thread has another g, so whoever still remembers an old one finds that it is over. What stands in
   the queue of a channel is a *waiter*: a thread, the stamp that it waits with, and the stamp that says that this event
   has happened. With one worker the atomic section makes all of this one step, and CLAIMED does not occur.

   Keeps:
   E1  A stamp goes from WAITING to SYNCHED at most once, and one worker does it: the one whose claim succeeded.
   E2  Who commits the transaction of another thread leaves the message first, then writes the stamp, then makes the
       thread ready, once. Who commits his own does not park.
   E3  A thread that has offered all its events parks until it is SYNCHED; from its first offer until then it does not
       leave its atomic section, so nobody finds it neither running nor parked.
   E4  Nobody takes a lock, parks or calls anything of the program's while he has claimed something.
   E5  Who has claimed his own transaction waits for the claim of another only if that one's thread has the larger number.

   Differences to the paper: the thread that waits with a claim is decided by the number (E5), so there is progress and not
   only its likelihood; the winner is known by the stamp, and the message stands in the thread.
   Differences to SML/NJ: none in what a program with one worker can see, but that events of more than one kind with a
   fixed priority take turns with each other in one sequence. *)

(* Nobody takes a lock while he has another. *)
structure Lock' = Thread.Lock

(* First in, first out; two lists. *)
structure Queue' =
struct
  type 'a queue = {front : 'a list ref, back : 'a list ref}

  fun new () : 'a queue = {front = ref [], back = ref []}

  fun isEmpty ({front, back} : 'a queue) = List.null (!front) andalso List.null (!back)

  fun add ({front, back} : 'a queue, x) = back := x :: !back

  fun take ({front, back} : 'a queue) =
    case !front of
      x :: rest => (front := rest; SOME x)
    | [] =>
        case !back of
          [] => NONE
        | [x] => (back := []; SOME x)
        | items =>
            case rev items of
              x :: rest => (back := []; front := rest; SOME x)
            | [] => NONE

  fun toList ({front, back} : 'a queue) = !front @ rev (!back)
end

(* Transactions: the states above. *)
structure Transaction' =
struct
  type waiter = {synched : int, thread : Thread.thread, waiting : int}

  (* see EVENT' *)
  datatype blocked = WAITS | CANCEL of unit -> unit | TIMER of int | MATCHED | GONE

  (* stamps are small: nothing overflows *)
  val plus = PrimWords'.word_add_ints
  val minus = PrimWords'.word_sub_ints
  val both = PrimWords'.word_and_ints
  val shift = PrimWords'.word_shr_ints

  val stamp = PrimThreads'.thread_stamp
  val setStamp = PrimThreads'.thread_set_stamp
  val casStamp = PrimThreads'.thread_cas_stamp

  local
    val putBox = PrimThreads'.thread_set_message : Thread.thread * 'a ref -> unit
    val getBox = PrimThreads'.thread_message : Thread.thread -> 'a ref
    val clear = PrimThreads'.thread_set_message : Thread.thread * unit list -> unit
  in
    (* What the partner leaves. Its type is known to both: it is the type of the event's message. *)
    fun leave (thread, message) = putBox (thread, ref message)
    fun collect () =
      let
        val self = Thread.self ()
        val message = !(getBox self)
      in
        clear (self, []);
        message
      end
  end

  (* Begins a transaction of the running thread, in its atomic section. *)
  fun begin self =
    let val waiting = plus (both (stamp self, ~4), 4)
    in setStamp (self, waiting); waiting end

  (* the stamp that says that event i has happened, and back *)
  fun synched (waiting, i) = plus (plus (waiting, 4 * i), 2)
  (* The same for who has nothing but this event. Then nobody can find the waiter but who has the lock of what the event is
     of, and he need not claim it. *)
  fun only waiting = plus (waiting, 3)
  fun isAlone (waiting, synched) = synched = only waiting orelse not (!Workers'.several)
  fun winner (self, waiting) = shift (minus (stamp self, waiting), 2)

  fun isOver ({thread, waiting, ...} : waiter) = stamp thread > plus (waiting, 1)

  datatype claim = CLAIMED | BUSY | OVER

  fun claim (w as {thread, waiting, ...} : waiter) =
    if !Workers'.several then
      if casStamp (thread, waiting, plus (waiting, 1)) then CLAIMED else if isOver w then OVER else BUSY
    else if stamp thread = waiting then CLAIMED
    else OVER

  fun release ({thread, waiting, ...} : waiter) = setStamp (thread, waiting)

  fun commit ({thread, synched, ...} : waiter) = setStamp (thread, synched)

  (* For who has no transaction of his own: waits while another worker decides; false when it is over. *)
  fun seize w =
    case claim w of
      CLAIMED => true
    | OVER => false
    | BUSY => (Lock'.pause (); seize w)

  (* For an own transaction that is open to others, against another's: claims both (BOTH), or says that the other is over
     (DROP), that both are of the same thread (KEEP), or that the own one is over (LATE). *)
  datatype pair = BOTH | DROP | KEEP | LATE

  fun seizeBoth (own : waiter, other : waiter) =
    if #thread own = #thread other then KEEP
    else if isOver other then DROP
    else
      case claim own of
        OVER => LATE
      | BUSY => (Lock'.pause (); seizeBoth (own, other))
      | CLAIMED => seizeSecond (own, other)
  and seizeSecond (own, other) =
    case claim other of
      CLAIMED => BOTH
    | OVER => (release own; DROP)
    | BUSY =>
        if Thread.id (#thread own) < Thread.id (#thread other) then (Lock'.pause (); seizeSecond (own, other))
        else (release own; Lock'.pause (); seizeBoth (own, other))

  (* Parks until the running thread's transaction, begun with this stamp, is over. Leaves the atomic section. *)
  fun wait (self, waiting, reason) =
    (Thread.park reason;
     if stamp self < plus (waiting, 2) then wait (self, waiting, reason) else ())
end

(* Queues of waiters, each with what it offers. Those whose transaction is over are dropped when they come to the front;
   when one that has several events is added, those at the end that are over give place to it, and when as many were added
   as there were others, all of them go. So there are never more of them than that (or 16). The caller has the lock of what
   the queue belongs to. *)
structure Waiting' =
struct
  open Transaction'

  (* a waiter, what it offers, and the next one; one object *)
  datatype 'a items =
    NOBODY
  | ITEM of {next : 'a items, offer : 'a, synched : int, thread : Thread.thread, waiting : int}

  (* first to last, and last to first *)
  type 'a queue = {front : 'a items ref, back : 'a items ref}

  fun new () : 'a queue = {front = ref NOBODY, back = ref NOBODY}
  fun clear ({front, back} : 'a queue) = (front := NOBODY; back := NOBODY)

  fun reverse (NOBODY, done) = done
    | reverse (ITEM {next, offer, synched, thread, waiting}, done) =
        reverse (next, ITEM {next = done, offer = offer, synched = synched, thread = thread, waiting = waiting})

  fun length (NOBODY, n) = n
    | length (ITEM {next, ...}, n) = length (next, n + 1)

  fun waiterOf {next : 'a items, offer : 'a, synched, thread, waiting} : waiter =
    {synched = synched, thread = thread, waiting = waiting}

  (* The waiter has this event only, so it is over when it is taken. *)
  fun add ({back, ...} : 'a queue, {synched, thread, waiting} : waiter, offer) =
    back := ITEM {next = !back, offer = offer, synched = synched, thread = thread, waiting = waiting}

  fun sweep ({front, back} : 'a queue, fuel) =
    let
      fun live (NOBODY, kept, n) = (kept, n)
        | live (ITEM (item as {next, offer, synched, thread, waiting}), kept, n) =
            if isOver (waiterOf item) then live (next, kept, n)
            else
              live (next, ITEM {next = kept, offer = offer, synched = synched, thread = thread, waiting = waiting}, n + 1)
      (* the front from its end, then the back *)
      val (kept, n) = live (reverse (!back, NOBODY), #1 (live (!front, NOBODY, 0)), 0)
      val (kept, n) = live (kept, NOBODY, 0)
    in
      front := kept;
      back := NOBODY;
      fuel := Int.max (16, n)
    end

  (* The waiter has other events too. The last argument is how many may be added until the next sweep. Calls itself once, and
     so stays a function of its own. *)
  fun addBehind (q as {back, ...} : 'a queue, w as {synched, thread, waiting} : waiter, offer, fuel) =
    let
      fun dead (items as ITEM {next, thread, waiting, ...}) =
            if stamp thread > plus (waiting, 1) then dead next else items
        | dead NOBODY = NOBODY
    in
      if !fuel <= 0 then (sweep (q, fuel); ignore (addBehind (q, w, offer, fuel)))
      else
        (back := ITEM {next = dead (!back), offer = offer, synched = synched, thread = thread, waiting = waiting};
         fuel := minus (!fuel, 1));
      WAITS
    end

  (* The same; nobody stands there, or one who is over, as happens most. *)
  fun addChoice (q as {back, ...} : 'a queue, w as {synched, thread, waiting} : waiter, offer, fuel) =
    let
      fun first () =
        (back := ITEM {next = NOBODY, offer = offer, synched = synched, thread = thread, waiting = waiting};
         WAITS)
    in
      case !back of
        NOBODY => first ()
      | ITEM {next = NOBODY, thread, waiting, ...} =>
          if stamp thread > plus (waiting, 1) then first () else addBehind (q, w, offer, fuel)
      | _ => addBehind (q, w, offer, fuel)
    end

  (* Is there anybody? Another worker may take him before you do. *)
  fun isWaiting ({front, back} : 'a queue) =
    case !front of
      ITEM (item as {next, ...}) =>
        if isOver (waiterOf item) then (front := next; isWaiting {front = front, back = back}) else true
    | NOBODY =>
        case !back of
          NOBODY => false
        | items => (front := reverse (items, NOBODY); back := NOBODY; isWaiting {front = front, back = back})

  fun pop ({front, back} : 'a queue) =
    case !front of
      item as ITEM {next, ...} => (front := next; item)
    | NOBODY =>
        case !back of
          NOBODY => NOBODY
        | item as ITEM {next = NOBODY, ...} => (back := NOBODY; item)
        | items =>
            (back := NOBODY;
             case reverse (items, NOBODY) of
               item as ITEM {next, ...} => (front := next; item)
             | NOBODY => NOBODY)

  (* The first who still waits, claimed. *)
  fun take q =
    case pop q of
      NOBODY => NOBODY
    | found as ITEM (item as {thread, waiting, synched, ...}) =>
        if isAlone (waiting, synched) then if stamp thread = waiting then found else take q
        else if seize (waiterOf item) then found
        else take q

  (* Likewise for a thread whose own transaction is open to others: both are claimed. *)
  datatype 'a match = MATCH of 'a items | NONE_LIVE | TOO_LATE

  fun match ({front, back} : 'a queue, own) =
    let
      (* the items that were passed, before others *)
      fun keep ([], items) = items
        | keep ({next = _, offer, synched, thread, waiting} :: kept, items) =
            keep (kept, ITEM {next = items, offer = offer, synched = synched, thread = thread, waiting = waiting})
      fun go (NOBODY, kept) =
            (case !back of
               NOBODY => (front := keep (kept, NOBODY); NONE_LIVE)
             | items => (back := NOBODY; go (reverse (items, NOBODY), kept)))
        | go (items as ITEM (item as {next, ...}), kept) =
            case seizeBoth (own, waiterOf item) of
              BOTH => (front := keep (kept, next); MATCH items)
            | DROP => go (next, kept)
            | KEEP => go (next, item :: kept)
            | LATE => (front := keep (kept, items); TOO_LATE)
    in
      go (!front, [])
    end
end

signature EVENT' =
sig
  type waiter = Transaction'.waiter

  (* What a base event is made of. All three run in an atomic section; a lock is theirs to take and to release.

     poll: whether it can be done at once. It changes nothing that is seen, and is asked again.

     priority: above 0 it ages, each time that the event could be done; 0 is that of a fixed event; below 0 it is fixed
     too, and as many are enabled as it says.

     commit: does it, nothing being offered by this thread, and says so (WON), or whom to run at once then (SWITCH), or
     that another worker was faster (LOST; never with one worker).

     block: offers it. Whoever makes it happen must claim the waiter, leave the message, commit, and make the thread ready:
     `complete` is all of that. The runtime can do it for a message of no content (timers, descriptors: its token is the
     waiter, or a timer carries its fields). The answer: WAITS; CANCEL f, f being called when another event of the choice
     has won; TIMER t, t being the number of a timer that is cancelled then; or MATCHED, when a partner was there by now
     (never with one worker): both are committed, the partner is ready, and the message is left; or GONE, when the waiter
     was over (likewise never with one worker). *)
  datatype committed = WON | SWITCH of Thread.thread | LOST
  datatype blocked = datatype Transaction'.blocked
  type base =
    {poll : unit -> bool, priority : int ref, commit : unit -> committed, block : waiter -> blocked,
     (* of a thread that waits for it alone: the number that a thread dump shows *)
     reason : int}

  type 'a event

  (* The second gives the result, outside the atomic section, when it has happened. *)
  val base : base * (unit -> 'a) -> 'a event
  (* Likewise; the result is the message that was left. *)
  val received : base -> 'a event
  (* The message that was left for the running thread by `complete`, `commit` or `block`: once, and with its own type. *)
  val message : unit -> 'a
  val leave : Thread.thread * 'a -> unit

  (* For who makes a waiter's event happen: false when its transaction is over. The lock may be held. *)
  val complete : waiter * 'a -> bool

  val never : 'a event
  val alwaysEvt : 'a -> 'a event
  val wrap : 'a event * ('a -> 'b) -> 'b event
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  val guard : (unit -> 'a event) -> 'a event
  val withNack : (unit event -> 'a event) -> 'a event
  val choose : 'a event list -> 'a event
  val sync : 'a event -> 'a
  val select : 'a event list -> 'a

  (* A condition: unset, then set for good. *)
  type condition
  val condition : unit -> condition
  val set : condition -> unit
  val isSet : condition -> bool
  (* the number is the reason of `base` *)
  val conditionEvt : condition * int -> unit event

  (* the priority of a fixed event *)
  val fixed : int ref
end

structure Event' :> EVENT' =
struct
  open Transaction'

  datatype committed = WON | SWITCH of Thread.thread | LOST
  datatype blocked = datatype Transaction'.blocked
  type base =
    {poll : unit -> bool, priority : int ref, commit : unit -> committed, block : waiter -> blocked, reason : int}

  (* The result: the message that was left, or what a function makes. *)
  datatype 'a value = MESSAGE | THUNK of unit -> 'a

  fun result MESSAGE = collect ()
    | result (THUNK f) = f ()

  datatype 'a event =
    BASE of base * 'a value
  | CHOOSE of 'a event list
  | GUARD of unit -> 'a event
  | NACK of unit event -> 'a event

  fun base (b, value) = BASE (b, THUNK value)
  fun received b = BASE (b, MESSAGE)
  val message = collect

  fun complete (w, message) =
    if seize w then
      (leave (#thread w, message);
       commit w;
       Thread.ready (#thread w);
       true)
    else false

  val fixed = ref 0

  (* bumps one that ages: the next one that looks finds a higher one *)
  fun level priority =
    let val p = !priority
    in
      if p > 0 then (priority := p + 1; p + 1) else ~p
    end

  (* -- conditions: for negative acknowledgements and the ends of threads *)

  type condition = {lock : int ref, isSet : bool ref, priority : int ref, fuel : int ref, waiting : unit Waiting'.queue}

  fun condition () : condition = {lock = Lock'.new (), isSet = ref false, priority = ref 1, fuel = ref 16, waiting = Waiting'.new ()}

  fun isSet ({isSet, ...} : condition) = !isSet

  fun set ({lock, isSet, waiting, ...} : condition) =
    let
      fun wake () =
        case Waiting'.take waiting of
          Waiting'.NOBODY => ()
        | Waiting'.ITEM {thread, synched, ...} => (setStamp (thread, synched); Thread.ready thread; wake ())
    in
      Lock'.take lock;
      isSet := true;
      wake ();
      Lock'.release lock
    end

  fun conditionEvt ({lock, isSet, priority, fuel, waiting} : condition, reason) =
    let
      fun poll () = !isSet
      fun commit () = (priority := 1; WON)
      (* set meanwhile: as if somebody had set it now *)
      fun own w =
        case claim w of
          CLAIMED => (Transaction'.commit w; MATCHED)
        | OVER => GONE
        | BUSY => (Lock'.pause (); own w)
      fun block w =
        (Lock'.take lock;
         if !isSet then (Lock'.release lock; own w)
         else Waiting'.addChoice (waiting, w, (), fuel) before Lock'.release lock)
    in
      base ({poll = poll, priority = priority, commit = commit, block = block, reason = reason}, fn () => ())
    end

  (* -- combinators *)

  val never = CHOOSE []

  fun alwaysEvt x =
    base ({poll = fn () => true, priority = fixed, commit = fn () => WON, block = fn _ => WAITS, reason = 0}, fn () => x)

  fun wrap (BASE (base, MESSAGE), f) = BASE (base, THUNK (fn () => f (collect ())))
    | wrap (BASE (base, THUNK value), f) = BASE (base, THUNK (fn () => f (value ())))
    | wrap (CHOOSE events, f) = CHOOSE (map (fn event => wrap (event, f)) events)
    | wrap (GUARD g, f) = GUARD (fn () => wrap (g (), f))
    | wrap (NACK g, f) = NACK (fn nack => wrap (g nack, f))

  (* a message raises nothing *)
  fun wrapHandler (event as BASE (_, MESSAGE), _) = event
    | wrapHandler (BASE (base, THUNK value), h) = BASE (base, THUNK (fn () => value () handle e => h e))
    | wrapHandler (CHOOSE events, h) = CHOOSE (map (fn event => wrapHandler (event, h)) events)
    | wrapHandler (GUARD g, h) = GUARD (fn () => wrapHandler (g (), h))
    | wrapHandler (NACK g, h) = NACK (fn nack => wrapHandler (g nack, h))

  val guard = GUARD
  val withNack = NACK
  (* choices of base events alone stay flat *)
  fun choose [event] = event
    | choose events =
        let
          fun isFlat (BASE _) = true
            | isFlat (CHOOSE events) = List.all (fn BASE _ => true | _ => false) events
            | isFlat _ = false
          fun parts (CHOOSE events) = events
            | parts event = [event]
        in
          if List.exists (fn CHOOSE _ => true | _ => false) events andalso List.all isFlat events then
            CHOOSE (List.concat (map parts events))
          else CHOOSE events
        end

  (* -- sync *)

  val choosing = ParkReason'.choose

  (* one base event *)
  fun syncBase ({poll, commit, block, reason, ...} : base, value) =
    let
      fun offer () =
        let
          val self = Thread.self ()
          val waiting = begin self
        in
          case block {synched = synched (waiting, 0), thread = self, waiting = waiting} of
            MATCHED => Thread.atomicEnd ()
          | _ => wait (self, waiting, reason);
          result value
        end
    in
      Thread.atomicBegin ();
      if poll () then
        case commit () of
          WON => (Thread.atomicEnd (); result value)
        | SWITCH thread => (Thread.atomicEnd (); Thread.switch thread; result value)
        | LOST => offer ()
      else offer ()
    end

  (* A condition to be set when none of the events from..upto-1 has won. *)
  type nack = {condition : condition, from : int, upto : int}

  fun areBases [] = true
    | areBases (BASE _ :: rest) = areBases rest
    | areBases _ = false

  (* The base events and the conditions, after running guards from left to right. What comes later stands before what came
     earlier, but a choice of base events alone stays as it is. An event's index is its distance from the end. *)
  fun force (event as BASE _, bases, n, nacks : nack list) = (event :: bases, n + 1, nacks)
    | force (CHOOSE events, bases, n, nacks) =
        if areBases events then (events @ bases, n + length events, nacks) else forceAll (events, bases, n, nacks)
    | force (GUARD g, bases, n, nacks) = force (g (), bases, n, nacks)
    | force (NACK g, bases, n, nacks) =
        let
          val c = condition ()
          val (bases, upto, inner) = force (g (conditionEvt (c, choosing)), bases, n, [])
        in
          (bases, upto, inner @ {condition = c, from = n, upto = upto} :: nacks)
        end
  and forceAll ([], bases, n, nacks) = (bases, n, nacks)
    | forceAll (event :: events, bases, n, nacks) =
        let val (bases, n, nacks) = force (event, bases, n, nacks)
        in forceAll (events, bases, n, nacks) end

  (* In the order of their functions' calls: the list has the last one first. *)
  fun acknowledge ([] : nack list, _) = ()
    | acknowledge ({condition, from, upto} :: rest, winner) =
        (acknowledge (rest, winner);
         if from <= winner andalso winner < upto then () else set condition)

  (* An event that can be done at once. *)
  type 'a enabled = {priority : int, index : int, base : base, value : 'a value}

  (* The events are base events, from here on; the index of one is its place. What was polled last is first in the list. *)

  fun add (BASE (base, value), i, found : 'a enabled list) =
        if #poll base () then {priority = level (#priority base), index = i, base = base, value = value} :: found
        else found
    | add (_, _, found) = found

  fun pollFromLeft ([], _, found) = found
    | pollFromLeft (event :: rest, i, found) = pollFromLeft (rest, plus (i, 1), add (event, i, found))

  fun pollFromRight ([], _) = []
    | pollFromRight (event :: rest, i) = add (event, i, pollFromRight (rest, plus (i, 1)))

  (* whose turn it is among equals *)
  val turn = ref 0

  (* Of those with the highest priority one after the other; a fixed one is as high as there are enabled events. *)
  fun pick (found : 'a enabled list, count) =
    let
      fun level ({priority = 0, ...} : 'a enabled) = count
        | level {priority, ...} = priority - 1
      val highest = foldl (fn (e, h) => Int.max (level e, h)) 0 found
      (* in the order in which they were polled *)
      val best = foldl (fn (e, l) => if level e = highest then e :: l else l) [] found
      val now = !turn
    in
      case best of
        [only] => only
      | _ =>
          (turn := (if now = 1000000 then 0 else now + 1);
           List.nth (best, now mod length best))
    end

  fun without (index, found : 'a enabled list) = List.filter (fn e => #index e <> index) found

  fun valueOf (BASE (_, value) :: rest, i) = if i = 0 then value else valueOf (rest, i - 1)
    | valueOf _ = raise Subscript

  fun cancel ([], _) = ()
    | cancel ((i, f) :: rest, winner) = (if i = winner then () else f (); cancel (rest, winner))

  val cancelTimer = PrimTimers'.timer_cancel

  fun finish (nacks, winner, value) = (acknowledge (nacks, winner); result value)

  (* Nothing can be done at once: waits for somebody. In an atomic section, which it leaves. The first timer and its event
     stay out of the heap: a time-out that guards a wait outlives many a collection. *)
  fun offer (events : 'a event list, fromLeft, nacks) =
    let
      val self = Thread.self ()
      val waiting = begin self
      fun over (timer, at, cancels) =
        let val i = winner (self, waiting)
        in
          if timer = 0 orelse at = i then () else ignore (cancelTimer timer);
          cancel (cancels, i);
          finish (nacks, i, valueOf (events, i))
        end
      fun each (BASE (base, _) :: rest, i, step, timer, at, cancels) =
            (case #block base {synched = synched (waiting, i), thread = self, waiting = waiting} of
               WAITS => each (rest, plus (i, step), step, timer, at, cancels)
             | CANCEL f => each (rest, plus (i, step), step, timer, at, (i, f) :: cancels)
             | TIMER t =>
                 if timer = 0 then each (rest, plus (i, step), step, t, i, cancels)
                 else each (rest, plus (i, step), step, timer, at, (i, fn () => ignore (cancelTimer t)) :: cancels)
             | MATCHED => (Thread.atomicEnd (); over (timer, at, cancels))
             | GONE => (wait (self, waiting, choosing); over (timer, at, cancels)))
        | each (_, _, _, timer, at, cancels) = (wait (self, waiting, choosing); over (timer, at, cancels))
    in
      if fromLeft then each (rev events, length events - 1, ~1, 0, 0, [])
      else each (events, 0, 1, 0, 0, [])
    end

  (* Some can be done. Polls from the left, or else from the right. In an atomic section, which it leaves. *)
  fun take (events : 'a event list, fromLeft, nacks) =
    let
      (* Acknowledgements come first; with several workers they wait until it is certain that this event is taken. *)
      fun try ({index, base, value, ...} : 'a enabled, others) =
        let
          val several = !Workers'.several
          val () = if several then () else acknowledge (nacks, index)
          fun acknowledgeNow () = if several then acknowledge (nacks, index) else ()
        in
          case #commit base () of
            WON => (Thread.atomicEnd (); acknowledgeNow (); result value)
          | SWITCH thread => (Thread.atomicEnd (); acknowledgeNow (); Thread.switch thread; result value)
          | LOST => choose (without (index, others))
        end
      and choose [] = offer (events, fromLeft, nacks)
        | choose (found as [only]) = try (only, found)
        | choose found = try (pick (found, length found), found)
    in
      choose (if fromLeft then pollFromLeft (events, 0, []) else pollFromRight (events, 0))
    end

  (* Nothing can be done, and there are base events only. *)
  fun areIdle [] = true
    | areIdle (BASE ({poll, ...}, _) :: rest) = not (poll ()) andalso areIdle rest
    | areIdle _ = false

  (* Base events: polls them from the left, or else from the right; if none can be done at once, offers them the other way. *)
  fun syncAll (events, fromLeft, nacks) =
    (Thread.atomicBegin ();
     if areIdle events then offer (events, fromLeft, nacks) else take (events, fromLeft, nacks))

  fun forever () = (Thread.park choosing; forever ())

  (* The order in which SML/NJ polls: a choice as it is written, the list of `select` from its end, and so what was forced;
     but with acknowledgements from the start again. *)
  fun syncForced ([BASE b], _, []) = syncBase b
    | syncForced ([], _, _) = forever ()
    | syncForced (events, _, nacks) = syncAll (rev events, not (List.null nacks), nacks)

  (* A choice of two or more, as a rule of base events, for none of which anybody waits. *)
  fun syncMany (events, fromLeft) =
    (Thread.atomicBegin ();
     if areIdle events then offer (events, fromLeft, [])
     else if areBases events then take (events, fromLeft, [])
     else (Thread.atomicEnd (); syncForced (forceAll (events, [], 0, []))))

  fun sync (BASE b) = syncBase b
    | sync (CHOOSE (events as _ :: _ :: _)) = syncMany (events, true)
    | sync event = syncForced (force (event, [], 0, []))

  fun select (events as _ :: _ :: _) = syncMany (events, false)
    | select events = sync (choose events)
end
