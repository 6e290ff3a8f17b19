(* Sync': how a thread synchronises on an event. For the library.

   A base event alone is done at once if it can be, and else offered. A choice is forced first: its guards run, and base
   events and negative acknowledgements are left. Then all are polled; one of those that can be done is picked and done; if
   there is none, all are offered, and the thread waits. *)
structure Sync' =
struct
  open Condition'

  val choosing = ParkReason'.choose

  (* A blocked thread is its frames. What is called last leaves none: so each of the two functions that wait is one of its own,
     whose frame is all that a thread has that waits for an event, or for a choice (`awaitChoice`). *)

  val threadAwait = PrimThreads'.thread_await

  fun awaitOne (value, reason) =
    (noinline ();
     case value of
       MESSAGE => threadAwait reason
     | THUNK f => (wait reason; f ()))

  val cancelTimer = PrimTimers'.timer_cancel

  (* what was offered is taken back *)
  fun withdraw (CANCEL f) = f ()
    | withdraw (TIMER t) = ignore (cancelTimer t)
    | withdraw _ = ()

  (* The same for a thread in a scope. In an atomic section, which it leaves. *)
  fun offerInScope ({block, reason, place, ...} : base) =
    let
      val () = noinline ()
      val w = aloneInScope place
      val blocked = if isOver w then GONE else block w
    in
      awaitInScope (w, reason) handle e => (withdraw blocked; raise e)
    end

  (* one base event *)
  fun syncBase (event as {poll, commit, block, reason, place} : base, value) =
    let
      fun offer () = if inScope () then (offerInScope event; result value) else offerAlone ()
      and offerAlone () =
        let
          val self = Thread.self ()
          val waiting = begin self
        in
          waitsFor (self, place);
          case block {synched = only waiting, thread = self, waiting = waiting} of
            MATCHED => (Thread.atomicEnd (); result value)
          | _ => awaitOne (value, reason)
        end
    in
      Thread.atomicBegin ();
      if poll false > 0 then
        case commit () of
          WON => (Thread.atomicEnd (); result value)
        | READY thread => (Thread.ready thread; Thread.atomicEnd (); result value)
        | SWITCH thread => (switchTo thread; result value)
        | LOST => offer ()
      else offer ()
    end

  (* A condition to be set when none of the events from..upto-1 has won. *)
  type nack = {condition : condition, from : int, upto : int ref}

  fun areBases [] = true
    | areBases (BASE _ :: rest) = areBases rest
    | areBases _ = false

  (* In the order of their functions' calls: the list has the last one first. *)
  fun acknowledge ([] : nack list, _) = ()
    | acknowledge ({condition, from, upto} :: rest, winner) =
        (acknowledge (rest, winner);
         if from <= winner andalso winner < !upto then () else set condition)

  (* A function of the choice, of which the nacks are known. When it raises an exception or ends the thread, no event of
     the choice will be taken. *)
  fun call (g, x, []) = g x
    | call (g, x, nacks : nack list) =
        let
          val () = noinline ()
          val key = ThreadProps'.toLeave (fn () => acknowledge (nacks, ~1))
          val made = g x handle e => (ThreadProps'.forget key; acknowledge (nacks, ~1); raise e)
        in
          ThreadProps'.forget key;
          made
        end

  (* The base events and the conditions, after running guards from left to right. What comes later stands before what came
     earlier, but a choice of base events alone stays as it is. An event's index is its distance from the end. *)
  fun force (event as BASE _, bases, n, nacks : nack list) = (event :: bases, n + 1, nacks)
    | force (CHOOSE events, bases, n, nacks) =
        if areBases events then (events @ bases, n + length events, nacks)
        else forceAll (events, bases, n, nacks)
    | force (GUARD g, bases, n, nacks) = force (call (g, (), nacks), bases, n, nacks)
    | force (NACK g, bases, n, nacks) =
        let
          val c = condition ()
          val upto = ref n
          val nacks = {condition = c, from = n, upto = upto} :: nacks
          val made = call (g, conditionEvt (c, choosing), nacks)
          val (bases, next, nacks) = force (made, bases, n, nacks)
        in
          upto := next;
          (bases, next, nacks)
        end
  and forceAll ([], bases, n, nacks) = (bases, n, nacks)
    | forceAll (event :: events, bases, n, nacks) =
        let
          val (bases, n, nacks) = force (event, bases, n, nacks)
        in
          forceAll (events, bases, n, nacks)
        end

  (* An event that can be done at once. *)
  type 'a enabled = {priority : int, index : int, base : base, value : 'a value}

  (* The events are base events, from here on; the index of one is its place. What was polled last is first in the list. *)

  fun add (BASE (base, value), i, ages, found : 'a enabled list) =
        let
          val priority = #poll base ages
        in
          if priority > 0 then {priority = priority, index = i, base = base, value = value} :: found
          else found
        end
    | add (_, _, _, found) = found

  fun pollFromLeft ([], _, _, found) = found
    | pollFromLeft (event :: rest, i, ages, found) =
        pollFromLeft (rest, plus (i, 1), ages, add (event, i, ages, found))

  fun pollFromRight ([], _, _) = []
    | pollFromRight (event :: rest, i, ages) =
        add (event, i, ages, pollFromRight (rest, plus (i, 1), ages))

  (* whose turn it is among equals *)
  val turn = ref 0

  (* Of so many equals one after the other; or as the seed says, so that a mistake behind any of them is found. *)
  val draw = PrimThreads'.thread_draw
  fun oneOf n =
    case draw n of
      ~1 =>
        let
          val now = !turn
        in
          turn := (if now = 1000000 then 0 else now + 1);
          now mod n
        end
    | drawn => drawn

  (* One of those with the highest priority; a fixed one is as high as there are enabled events. *)
  fun pick (found : 'a enabled list, count) =
    let
      fun level ({priority = 2, ...} : 'a enabled) = count
        | level {priority = 1, ...} = 0
        | level {priority, ...} = priority - 2
      val highest = foldl (fn (e, h) => Int.max (level e, h)) 0 found
      (* in the order in which they were polled *)
      val best = foldl (fn (e, l) => if level e = highest then e :: l else l) [] found
    in
      case best of
        [only] => only
      | _ => List.nth (best, oneOf (length best))
    end

  fun without (index, found : 'a enabled list) = List.filter (fn e => #index e <> index) found

  (* none of them: the wait of a thread in a scope was cancelled *)
  fun valueOf (BASE (_, value) :: rest, i) = if i = 0 then value else valueOf (rest, i - 1)
    | valueOf _ = (forget (); Member'.raiseCancelled ())

  fun cancel ([], _) = ()
    | cancel ((i, f) :: rest, winner) = (if i = winner then () else f (); cancel (rest, winner))

  (* What is to be done besides when one event of a choice has happened; as a rule nothing. *)
  datatype others =
      NO_OTHERS
    | OTHERS of {nacks : nack list, cancels : (int * (unit -> unit)) list}

  fun others ([], []) = NO_OTHERS
    | others (nacks, cancels) = OTHERS {nacks = nacks, cancels = cancels}

  (* One of the events has happened: the running thread's transaction, which began as `waiting`, is over. The timer, if it is
     not 0, is that of one of them; it may be that one. *)
  fun over (events, waiting, timer, others) =
    let
      val i = winner (Thread.self (), waiting)
    in
      if timer = 0 then () else ignore (cancelTimer timer);
      case others of
        NO_OTHERS => ()
      | OTHERS {nacks, cancels} => (cancel (cancels, i); acknowledge (nacks, i));
      result (valueOf (events, i))
    end

  (* Of a thread in a scope, before it offers anything: is it cancelled? *)
  fun isCancelled (self, waiting, events) =
    (noinline ();
     case Member'.here () of
       Member'.IN member => openInScope (member, self, waiting, length events)
     | Member'.OUT => ();
     isPast (self, waiting))

  fun awaitChoice (events, waiting, timer, others) =
    (noinline ();
     wait choosing;
     over (events, waiting, timer, others))

  (* Nothing can be done at once: waits for somebody. In an atomic section, which it leaves. The first timer stays out of the
     heap: a time-out that guards a wait outlives many a collection. *)
  fun offer (events : 'a event list, fromLeft, nacks) =
    let
      val self = Thread.self ()
      val waiting = begin self
      fun each (BASE (base, _) :: rest, i, step, timer, cancels) =
            (case #block base {synched = synched (waiting, i), thread = self, waiting = waiting} of
               WAITS => each (rest, plus (i, step), step, timer, cancels)
             | CANCEL f => each (rest, plus (i, step), step, timer, (i, f) :: cancels)
             | TIMER t =>
                 if timer = 0 then each (rest, plus (i, step), step, t, cancels)
                 else
                   each (rest,
                         plus (i, step),
                         step,
                         timer,
                         (i, fn () => ignore (cancelTimer t)) :: cancels)
             | MATCHED =>
                 (Thread.atomicEnd (); over (events, waiting, timer, others (nacks, cancels)))
             | GONE => awaitChoice (events, waiting, timer, others (nacks, cancels)))
        | each (_, _, _, timer, cancels) =
            awaitChoice (events, waiting, timer, others (nacks, cancels))
    in
      if inScope () andalso isCancelled (self, waiting, events) then
        (Thread.atomicEnd (); over (events, waiting, 0, others (nacks, [])))
      else if fromLeft then each (rev events, length events - 1, ~1, 0, [])
      else each (events, 0, 1, 0, [])
    end

  (* Some can be done. Polls from the left, or else from the right; if there are several, they age. In an atomic section,
     which it leaves. *)
  fun take (events : 'a event list, several, fromLeft, nacks) =
    let
      (* Acknowledgements come before the partner runs, and when it is certain that this event is taken: the partner itself may
         wait for one of them. *)
      fun try ({index, base, value, ...} : 'a enabled, others) =
        case #commit base () of
          WON => (acknowledge (nacks, index); Thread.atomicEnd (); result value)
        | READY thread =>
            (acknowledge (nacks, index);
             Thread.ready thread;
             Thread.atomicEnd ();
             result value)
        | SWITCH thread => (acknowledge (nacks, index); switchTo thread; result value)
        | LOST => choose (without (index, others))
      and choose [] = offer (events, fromLeft, nacks)
        | choose (found as [only]) = try (only, found)
        | choose found = try (pick (found, length found), found)
    in
      choose
        (if fromLeft then pollFromLeft (events, 0, several, [])
         else pollFromRight (events, 0, several))
    end

  (* How many can be done: none, one or several. Of base events; what is no base event is asked for more about. *)
  datatype ready = NO_EVENT | ONE_EVENT | SEVERAL_EVENTS
  fun ready [] = NO_EVENT
    | ready (BASE ({poll, ...}, _) :: rest) =
        if poll false = 0 then ready rest
        else
          (case ready rest of
             NO_EVENT => ONE_EVENT
           | _ => SEVERAL_EVENTS)
    | ready _ = SEVERAL_EVENTS

  (* Base events: polls them from the left, or else from the right; if none can be done at once, offers them the other way. *)
  fun syncAll (events, fromLeft, nacks) =
    (Thread.atomicBegin ();
     case ready events of
       NO_EVENT => offer (events, fromLeft, nacks)
     | so => take (events, so = SEVERAL_EVENTS, fromLeft, nacks))

  (* Only the end of the scope ends this, after which the acknowledgements happen. *)
  fun forever nacks =
    if inScope () then (Thread.atomicBegin (); offer ([], true, nacks))
    else (Thread.park choosing; forever nacks)

  (* The order in which SML/NJ polls: a choice as it is written, the list of `select` from its end, and so what was forced;
     but with acknowledgements from the start again. *)
  fun syncForced ([BASE b], _, []) = syncBase b
    | syncForced ([], _, nacks) = forever nacks
    | syncForced (events, _, nacks) = syncAll (rev events, not (List.null nacks), nacks)

  (* A choice of two or more, as a rule of base events, for none of which anybody waits. *)
  fun syncMany (events, fromLeft) =
    (Thread.atomicBegin ();
     case ready events of
       NO_EVENT => offer (events, fromLeft, [])
     | so =>
         if areBases events then take (events, so = SEVERAL_EVENTS, fromLeft, [])
         else (Thread.atomicEnd (); syncForced (forceAll (events, [], 0, []))))

  fun sync (BASE b) = syncBase b
    | sync (CHOOSE (events as _ :: _ :: _)) = syncMany (events, true)
    | sync event = syncForced (force (event, [], 0, []))
end
