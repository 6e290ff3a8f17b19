(* Scope: threads that end together (structured concurrency), and what cancels them: an exception in one of them, a deadline,
   or a call.

   What it means is in docs/reference/scopes.md; how a wait is cancelled, in docs/internals/decisions/018-scopes.md and
   lib/cml/sync.sml; the data are in lib/cml/member.sml. *)

signature SCOPE =
sig
  type scope

  (* raised by each wait of a thread whose scope is cancelled *)
  exception Cancelled
  (* by `fork` and `daemon`, when the scope's `run` has returned *)
  exception Ended

  (* Makes a scope for this call: returns when the function has returned and all threads of the scope have ended. If one of
     them raises an exception the others are cancelled; it is raised here when all have ended. *)
  val run : (scope -> 'a) -> 'a
  (* The same for so long at most: NONE if it was cancelled for that. *)
  val within : Time.time -> (scope -> 'a) -> 'a option
  (* The same until a point in time. *)
  val until : Time.time -> (scope -> 'a) -> 'a option

  (* A new thread of the scope, which runs at once. The event happens when it has ended: its result, or its exception. *)
  val fork : scope -> (unit -> 'a) -> 'a CML.event
  (* A thread that serves the others: it is cancelled when only such threads are left. *)
  val daemon : scope -> (unit -> unit) -> unit

  (* Cancels the scope, if it is not cancelled yet: its `run` will raise the exception. *)
  val cancel : scope * exn -> unit
  (* happens when it is cancelled: why *)
  val cancelled : scope -> exn CML.event

  (* the innermost scope of the running thread *)
  val current : unit -> scope option
  (* raises Cancelled if the next wait would: for computations that do not wait *)
  val check : unit -> unit
  (* The waits of this call are not cancelled: for cleaning up. *)
  val shield : (unit -> 'a) -> 'a
  (* Whether the running thread is in such a call: what ends its waits in other ways is not to do so then. *)
  val isShielded : unit -> bool
  (* The result of the first; afterwards the second is called, shielded, in any case: when the first has returned, has
     raised an exception, or has said CML.exit. *)
  val finally : (unit -> 'a) * (unit -> unit) -> 'a

  (* A value that each thread has of its own, and that a thread of a scope begins with as the thread had it that forked
     it: the name of a request, for instance. *)
  type 'a inherited
  (* Makes one, with what threads have that were given nothing else. *)
  val inherited : 'a -> 'a inherited
  (* The running thread's. *)
  val valueOf : 'a inherited -> 'a
  (* The result of the function, during which the running thread, and those that it forks in scopes, have this value. *)
  val having : 'a inherited * 'a -> (unit -> 'b) -> 'b
end

structure Scope :> SCOPE =
struct
  open Member'
  type scope = Member'.scope
  exception Ended

  val startTimer = PrimTimers'.timer_start

  (* -- waits of the library that come before events *)

  local
    val watch = PrimWaiting'.fd_watch : int * int * Transaction'.waiter -> int
    val unwatch = PrimWaiting'.fd_unwatch
    val watchJob = PrimJobs'.job_watch : int * Transaction'.waiter -> int
    val sleepUntil = PrimTimers'.thread_sleep_until
    val closed = 2

    fun event (reason, block, result) =
      Event'.base ({poll = fn _ => Event'.fixed false,
                    commit = fn () => Event'.LOST,
                    block = block,
                    reason = reason,
                    place = Event'.nowhere},
                   result)

    (* The result: false when the manager does not wait for it: it is ready, a file, or no descriptor. *)
    fun descriptor (fd, mode) =
      Event'.guard (fn () =>
        let
          val id = ref 0
          (* 2: a descriptor that is closed meanwhile is told from one that is ready *)
          fun block w =
            (id := watch (fd, mode + 2, w);
             if !id <= 0 then Transaction'.happened w
             else Event'.CANCEL (fn () => ignore (unwatch (!id))))
          fun result () =
            if !id <= 0 then 0 else if unwatch (!id) = closed then ~ ErrorNumber'.badf else 1
        in
          event (if mode = 0 then ParkReason'.read else ParkReason'.write, block, result)
        end)

    fun clock deadline =
      event (ParkReason'.sleep,
             fn {thread, waiting, synched} =>
               Event'.TIMER (startTimer (deadline, thread, waiting, synched)),
             fn () => 1)

    fun descriptors (waits, deadline) =
      let
        val events = List.map descriptor waits
        val events = if deadline < 0 then events else clock deadline :: events
      in
        if Event'.sync (Event'.choose events) < 0 then Error'.fail ErrorNumber'.badf else ()
      end

    fun job id =
      Event'.sync (event (ParkReason'.process,
                          fn w =>
                            if watchJob (id, w) = 1 then Transaction'.happened w
                            else Event'.CANCEL (fn () => ()),
                          fn () => ()))
      handle Cancelled => (Job'.drop id; raise Cancelled)
  in
    fun fill onThreadEnd =
      (Wait'.waits :=
         (fn wait =>
           if isHere () then
             case Event'.sync (descriptor wait) of
               0 => Wait'.waitHere wait
             | r => r
           else Wait'.waitHere wait);
       OSIO'.awaits := (fn waits => if isHere () then descriptors waits else OSIO'.awaitHere waits);
       Process'.sleeps :=
         (fn deadline =>
           if isHere () then ignore (Event'.sync (clock deadline)) else sleepUntil deadline);
       Job'.finishes := (fn id => (if isHere () then job id else (); Job'.finishHere id));
       onEnd := onThreadEnd)
  end

  (* -- scopes *)

  fun isOver ({current = ref OUTSIDE, ...} : member) = true
    | isOver _ = false

  fun hasReturned (SCOPE {live, ...}) = !live < 0
    | hasReturned OUTSIDE = true

  (* Without those that are over; the order is the other one. A scope that is cancelled has told its threads, and has nothing to
     be told; one that was left by CML.exit is so, and never returns. *)
  fun living (NOBODY, kept, _) = kept
    | living (THREAD {member, next, ...}, kept, room) =
        if isOver member then living (next, kept, room)
        else living (next, THREAD {member = member, next = kept, room = room + 1}, room + 1)
    | living (CHILD {scope, next, ...}, kept, room) =
        if hasReturned scope orelse isCancelled scope then living (next, kept, room)
        else living (next, CHILD {scope = scope, next = kept, room = room + 1}, room + 1)
    | living (ALARM {thread, timer, next, ...}, kept, room) =
        living
          (next, ALARM {thread = thread, timer = timer, next = kept, room = room + 1}, room + 1)

  val patience = 16

  (* As many may be added as there are, or so many. *)
  fun swept entries = living (living (entries, NOBODY, 0), NOBODY, 0)
  fun roomOf NOBODY = patience
    | roomOf (THREAD {room, ...}) = room
    | roomOf (CHILD {room, ...}) = room
    | roomOf (ALARM {room, ...}) = room

  (* Another one, with so much room. The lock is held. *)
  fun add (entries, make) =
    let
      val all = !entries
      val room = roomOf all
    in
      if room > 0 then entries := make (all, room - 1)
      else
        let
          val left = swept all
        in
          entries := make (left, Int.max (patience, roomOf left))
        end
    end

  (* A thread in a wait of a cancelled scope: the wait ends, if nothing else has ended it. The stamp is read before the scope,
     so if the claim succeeds the scope is that of the wait. The mark alone (~1) is no stamp, and would be asked for without
     end if the thread has never waited. *)
  fun interrupt ({current, ifCancelled, open', thread, ...} : member) =
    let
      val () = Thread.atomicBegin ()
      val waiting = abs (!open')
      val w = {synched = !ifCancelled, thread = thread, waiting = waiting}
    in
      if waiting > 1 andalso isCancelled (!current) andalso Transaction'.seize w then
        (Transaction'.commit w;
         Thread.ready thread)
      else ();
      Thread.atomicEnd ()
    end

  (* why a scope is cancelled when only daemons are left: that is no error *)
  exception Served

  (* Whether it is cancelled for that. *)
  fun isFirst (NONE, _) = true
    | isFirst (SOME Served, Cancelled) = false
    | isFirst (SOME Served, _) = true
    | isFirst _ = false

  (* A thread that has not been started by its timer never is. *)
  fun stopAlarm (thread, timer) =
    if PrimTimers'.timer_cancel timer then ignore (PrimThreads'.thread_discard thread) else ()

  fun interruptAll NOBODY = ()
    | interruptAll (THREAD {member, next, ...}) = (interrupt member; interruptAll next)
    | interruptAll (CHILD {scope, next, ...}) = (cancel (scope, Cancelled); interruptAll next)
    | interruptAll (ALARM {thread, timer, next, ...}) =
        (stopAlarm (thread, timer); interruptAll next)

  and cancel (OUTSIDE, _) = ()
    | cancel (SCOPE {body, cause, entries, live, lock, told, ...}, why) =
        let
          val () = Lock'.take lock
          val isNow = !live >= 0 andalso isFirst (!cause, why)
          val () = if isNow then cause := SOME why else ()
          val all = !entries
        in
          Lock'.release lock;
          if isNow then
            (* The compare-and-swap of `told` is the fence between `cause` and what `interrupt` reads: a wait that is opened
               behind it sees the cause, and one that was opened before is seen. *)
            (Event'.set told;
             interrupt body;
             (* in the order of their beginnings *)
             interruptAll (living (all, NOBODY, 0)))
          else ()
        end

  (* The thread that waits for the end of the scope goes on, when it is to. The lock is held, and given back. *)
  fun tell (live, daemons, lock, waits) =
    case !waits of
      SOME (w, forAll) =>
        if !live = 0 andalso (not forAll orelse !daemons = 0) then
          (waits := NONE;
           if Transaction'.seize w then (Transaction'.commit w; Thread.ready (#thread w)) else ();
           Lock'.release lock)
        else Lock'.release lock
    | NONE => Lock'.release lock

  (* a thread of the scope has ended, which is counted there *)
  fun leave (OUTSIDE, _, _) = ()
    | leave (SCOPE {live, daemons, lock, waits, ...}, {current, ...} : member, count) =
        (Lock'.take lock;
         current := OUTSIDE;
         count := !count - 1;
         tell (live, daemons, lock, waits))

  (* `body` waits until all threads but the daemons have ended, or all threads. *)
  fun ends (live, daemons, lock, waits, forAll) =
    let
      fun isSo () = !live = 0 andalso (not forAll orelse !daemons = 0)
      fun block w =
        (Lock'.lock lock;
         (if isSo () then Transaction'.happened w else (waits := SOME (w, forAll); Event'.WAITS))
         before Lock'.unlock lock)
    in
      Event'.base ({poll = fn _ => Event'.fixed (isSo ()),
                    commit = fn () => Event'.WON,
                    block = block,
                    reason = ParkReason'.join,
                    place = Event'.nowhere},
                   fn () => ())
    end

  fun isSame (SCOPE {live, ...}, SCOPE {live = other, ...}) = live = other
    | isSame (OUTSIDE, OUTSIDE) = true
    | isSame _ = false

  (* The scopes that a thread leaves by ending in the midst of their functions, up to this one. *)
  fun abandonTo last (member as {current, ...} : member) =
    case !current of
      scope as SCOPE {body, parent, ...} =>
        if #current body = current andalso not (hasReturned scope orelse isSame (scope, last)) then
          (current := parent;
           cancel (scope, Cancelled);
           abandonTo last member)
        else ()
    | OUTSIDE => ()
  val abandon = abandonTo OUTSIDE

  fun prepare () =
    if !used then ()
    else
      (fill abandon;
       Workers'.beginScopes ();
       used := true)

  fun memberOf thread =
    {current = ref OUTSIDE,
     ifCancelled = ref 0,
     masked = ref false,
     open' = ref 0,
     thread = thread} : member

  (* of the running thread *)
  fun self () =
    let
      val thread = Thread.self ()
    in
      case propsOf thread of
        SCOPED {member, ...} => member
      | _ =>
          let
            val member = memberOf thread
          in
            ThreadProps'.join member;
            member
          end
    end

  datatype 'a outcome = VALUE of 'a | RAISED of exn

  (* What is cancelled with the first. *)
  fun adopt (OUTSIDE, _) = ()
    | adopt (SCOPE {cause, entries, lock, ...}, scope) =
        let
          val () = Lock'.take lock
          val isLate = Option.isSome (!cause)
        in
          add (entries, fn (next, room) => CHILD {scope = scope, next = next, room = room});
          Lock'.release lock;
          if isLate then cancel (scope, Cancelled) else ()
        end

  (* What has ended is not kept, if it came last, as a rule: a thread that makes one scope after the other in one that
     lives for long (a connection's, with a time limit for each request) would have some dead ones in each. *)
  fun disown (OUTSIDE, _) = ()
    | disown (SCOPE {entries, lock, ...}, live) =
        (Lock'.take lock;
         (case !entries of
            CHILD {scope = SCOPE {live = last, ...}, next, ...} =>
              if last = live then entries := next else ()
          | _ => ());
         Lock'.release lock)

  fun run f =
    let
      val () = prepare ()
      val body as {current, masked, open', ...} = self ()
      val (outer, wasMasked, outside) = (!current, !masked, !open')
      val (cause, live, daemons) = (ref NONE, ref 0, ref 0)
      val (lock, waits) = (Lock'.new (), ref NONE)
      val scope =
        SCOPE {body = body,
               cause = cause,
               entries = ref NOBODY,
               live = live,
               daemons = daemons,
               lock = lock,
               parent = outer,
               told = Event'.condition (),
               waits = waits}
      val () = if wasMasked then () else adopt (outer, scope)
      val () = (masked := false; current := scope; open' := 0)
      val result = VALUE (f scope) handle e => (cancel (scope, e); RAISED e)
      (* no wait of the function was cancelled, and no thread is left: the end of a scope around this one comes too late *)
      val isWhole = !live = 0 andalso not (isMarked body)
      (* The end of the scope around it has cancelled it. If that has cancelled a wait, this was one of the outer scope's
         function, too, so the mark stays; else the one that was there before is put back. *)
      fun isByOuter () =
        case !cause of
          SOME Cancelled => not wasMasked andalso isCancelled outer
        | _ => false
      (* When the wait for the others is cancelled, so are they: then it ends soon, and waits to the end. *)
      fun wait forAll =
        Event'.sync (ends (live, daemons, lock, waits, forAll))
        handle Cancelled => (masked := true; wait forAll; masked := false)
      fun finish () =
        let
          val () = if !live > 0 then wait false else ()
          val () =
            if !daemons > 0 then
              (cancel (scope, Served); masked := true; wait true; masked := false)
            else ()
          val () = Lock'.take lock
          val isOver = !live = 0 andalso !daemons = 0
        in
          if isOver then live := ~1 else ();
          Lock'.release lock;
          if isOver then () else finish ()
        end
    in
      finish ();
      current := outer;
      masked := wasMasked;
      if wasMasked then () else disown (outer, live);
      if isByOuter () andalso isMarked body then () else open' := outside;
      case (!cause, result) of
        (NONE, VALUE x) => x
      | (SOME Served, VALUE x) => x
      | (SOME Cancelled, VALUE x) => if isWhole andalso isByOuter () then x else raise Cancelled
      | (SOME Served, RAISED e) => raise e
      | (SOME e, _) => raise e
      | (NONE, RAISED e) => raise e
    end

  (* -- what a thread has from the one that forked it *)

  type 'a inherited =
    {default : 'a, find : exn list -> 'a option, isOther : exn -> bool, make : 'a -> exn}

  fun inherited default =
    let
      exception Value of 'a
      fun find [] = NONE
        | find (Inherited (Value x) :: _) = SOME x
        | find (_ :: rest) = find rest
      fun isOther (Inherited (Value _)) = false
        | isOther _ = true
    in
      {default = default, find = find, isOther = isOther, make = fn x => Inherited (Value x)} :
        'a inherited
    end

  fun valueOf ({default, find, ...} : 'a inherited) =
    Option.getOpt (find (ThreadProps'.list ()), default)

  fun having ({find, isOther, make, ...} : 'a inherited, x) f =
    let
      fun change now =
        ThreadProps'.change (fn list =>
          case now of
            SOME x => make x :: List.filter isOther list
          | NONE => List.filter isOther list)
      val before' = find (ThreadProps'.list ())
      fun over () = change before'
      val () = change (SOME x)
      (* after CML.exit, too: what is to be done before the thread ends finds what it had *)
      val result = ThreadProps'.leaving (over, f) handle e => (over (); raise e)
    in
      over ();
      result
    end

  (* A thread of the scope, which is counted there, has said that it ends. *)
  fun finish (thread, scope, count) =
    case propsOf thread of
      SCOPED {ended, member, watched, ...} =>
        (ThreadProps'.tell watched;
         if ended = unasked then () else Event'.set ended;
         leave (scope, member, count))
    | _ => ()

  (* A thread that does this, and raises nothing; if it ends before, `atExit`. *)
  fun start (OUTSIDE, _, _, _) = raise Ended
    | start (scope as SCOPE {entries, live, daemons, lock, ...}, isDaemon, f, atExit) =
        let
          val count = if isDaemon then daemons else live
          val list = Member'.inherited (ThreadProps'.list ())
          val thread =
            Thread.new (fn () =>
              (f ();
               ThreadProps'.say ();
               finish (Thread.self (), scope, count)))
          val member =
            {current = ref scope,
             ifCancelled = ref 0,
             masked = ref false,
             open' = ref 0,
             thread = thread}
          fun atEnd () = (atExit (); finish (thread, scope, count))
          val () =
            setProps (thread,
                      SCOPED {atEnd = atEnd,
                              ended = unasked,
                              list = list,
                              member = member,
                              watched = RUNS []})
        in
          Lock'.take lock;
          if !live < 0 then (Lock'.release lock; raise Ended) else ();
          count := !count + 1;
          add (entries, fn (next, room) => THREAD {member = member, next = next, room = room});
          Lock'.unlock lock;
          Transaction'.switchTo thread
        end

  fun fork scope f =
    let
      val result = SyncVar.iVar ()
      fun go () = SyncVar.iPut (result, VALUE (f ()) handle e => (cancel (scope, e); RAISED e))
      (* it has said CML.exit *)
      fun atExit () =
        case SyncVar.iGetPoll result of
          NONE => SyncVar.iPut (result, RAISED Cancelled)
        | SOME _ => ()
    in
      start (scope, false, go, atExit);
      Event'.guard (fn () =>
        Event'.wrap (SyncVar.iGetEvt result, fn VALUE x => x | RAISED e => raise e))
    end

  fun daemon scope f = start (scope, true, fn () => f () handle e => cancel (scope, e), fn () => ())

  fun cancelled OUTSIDE = Event'.never
    | cancelled (SCOPE {cause, told, ...}) =
        Event'.wrap (Event'.conditionEvt (told, ParkReason'.choose),
                     fn () =>
                       case !cause of
                         SOME Served => Cancelled
                       | why => Option.valOf why)

  fun current () =
    case propsOf (Thread.self ()) of
      SCOPED {member = {current = ref (scope as SCOPE _), ...}, ...} => SOME scope
    | _ => NONE

  fun check () =
    case here () of
      IN {current, ...} => if isCancelled (!current) then raiseCancelled () else ()
    | OUT => ()

  (* Also in a thread that has never been in a scope: `isShielded` is asked there, too. *)
  fun shield f =
    let
      val {masked, ...} = self ()
    in
      if !masked then f ()
      else
        let
          val () = masked := true
          val x = f () handle e => (masked := false; raise e)
        in
          masked := false;
          x
        end
    end

  fun isShielded () =
    case propsOf (Thread.self ()) of
      SCOPED {member = {masked, ...}, ...} => !masked
    | _ => false

  (* Also when the thread says CML.exit: then the scopes inside end first, since `clean` may wait for their threads. *)
  fun finally (f, clean) =
    let
      val around =
        case propsOf (Thread.self ()) of
          SCOPED {member = {current, ...}, ...} => !current
        | _ => OUTSIDE
      fun leaving () =
        case propsOf (Thread.self ()) of
          SCOPED {member, ...} => abandonTo around member
        | _ => ()
      val key = ThreadProps'.toLeave (fn () => (leaving (); shield clean))
      fun over () = (ThreadProps'.forget key; shield clean)
      val x = f () handle e => (over (); raise e)
    in
      over ();
      x
    end

  fun isAlone (SCOPE {live, lock, ...}) =
        let
          val () = Lock'.take lock
          val isSo = !live = 0
        in
          Lock'.release lock;
          isSo
        end
    | isAlone OUTSIDE = true

  (* What a thread may go on behind the moment at which its scope was cancelled: so long it may wait by the clock, shielded,
     or compute. *)
  val grace = 10000000
  local
    val isBlocked = PrimThreads'.thread_blocked
    val computed = PrimThreads'.thread_computed
    val monotonic = PrimClock'.time_monotonic
  in
    (* A thread that is blocked, and is not shielded, is in no wait any more: what has ended its wait is on the way to it. *)
    fun moment (thread, isShielded) =
      {clock = monotonic (),
       computed = computed thread,
       waits = isShielded andalso isBlocked thread}
    (* By the clock alone, what else has the processor would make the thread late: another program, the collector, or
       threads that compute and were ready before it. *)
    fun hasGrace (thread, {clock, computed = before', waits}) =
      monotonic () - clock <= grace
      orelse not waits andalso computed thread - before' <= grace
  end

  (* Has this done then, by a thread outside of the scope that is started by a timer, which is stopped when the scope is
     cancelled before. *)
  fun setAlarm (OUTSIDE, _, _) = NONE
    | setAlarm (SCOPE {entries, lock, ...}, deadline, f) =
        let
          val thread = Thread.new f
          val timer = startTimer (deadline, thread, 0, 0)
        in
          Lock'.take lock;
          add (entries,
               fn (next, room) =>
                 ALARM {thread = thread, timer = timer, next = next, room = room});
          Lock'.release lock;
          SOME (thread, timer)
        end

  (* The exception is this call's own: an outer deadline, or one inside, has another. If it comes when the function has
     returned, and no thread is left but the one that raises it, it is too late itself: what the function has made (a
     connection, say) is not lost. Nor is what it has taken (a message) if the exception comes between the wait that took
     it and the return, which is at once. It is not too late where a wait of the function was cancelled, or the function has
     gone on behind it, since it computed, or was shielded. *)
  fun limited {isPast, deadline} f =
    let
      exception Late
      val () = prepare ()
      val member as {masked, thread, ...} = self ()
      val made = ref NONE
      val late = ref NONE
      val alarm = ref NONE
      fun isInTime () =
        not (isMarked member)
        andalso case !late of
          NONE => true
        | SOME moment => hasGrace (thread, moment)
      fun body scope =
        let
          fun isLate () =
            (late := SOME (moment (thread, !masked));
             cancel (scope, Late))
          val () =
            if isPast () then isLate () else alarm := setAlarm (scope, deadline (), isLate)
          val x = f scope
        in
          if isAlone scope andalso (not (isCancelled scope) orelse isInTime ()) then made := SOME x
          else ();
          x
        end
      fun stop () = Option.app stopAlarm (!alarm)
      val result =
        SOME (run body) handle Late => !made | e => (stop (); raise e)
    in
      stop ();
      result
    end
  fun within time f = limited (TimeOut'.timeOut time) f
  fun until time f = limited (TimeOut'.atTime time) f
end
