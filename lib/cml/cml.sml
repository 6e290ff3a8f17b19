(* CML: threads, channels, events and time-outs of Concurrent ML, with the types and the meaning of SML/NJ's library (Reppy,
   Concurrent Programming in ML, 1999). What they are made of stands in event.sml, channel.sml and timeout.sml. *)

signature THREAD =
sig
  type thread_id
  type 'a event

  (* The running thread. *)
  val getTid : unit -> thread_id
  (* Whether two names are of the same thread. *)
  val sameTid : thread_id * thread_id -> bool
  (* The order in which two threads were made: the older one is less. *)
  val compareTid : thread_id * thread_id -> order
  (* A number for tables whose keys are threads: its number. *)
  val hashTid : thread_id -> word
  (* The thread's number in brackets, of six digits at least: `[000012]`. *)
  val tidToString : thread_id -> string

  (* `spawnc f x` makes a thread that calls f with x. The child runs at once, its parent waits in the ready queue. *)
  val spawnc : ('a -> unit) -> 'a -> thread_id
  (* Makes a thread that calls the function. The child runs at once, its parent waits in the ready queue. *)
  val spawn : (unit -> unit) -> thread_id
  (* Ends the running thread. Nothing behind it is evaluated, and no exception is raised. *)
  val exit : unit -> 'a
  (* Happens when the thread has ended: by return, by exit or by an exception that it does not catch. *)
  val joinEvt : thread_id -> unit event
  (* Lets the other threads that are ready run first; the running one goes to the end of the ready queue. *)
  val yield : unit -> unit

  (* Makes a property, of which each thread has a value of its own. getFn gives the running thread's; when there is
     none, it calls the function first and keeps what that gives. peekFn gives SOME of it, or NONE without making one.
     setFn gives it another value, clrFn takes the value away. *)
  val newThreadProp :
    (unit -> 'a)
    -> {clrFn : unit -> unit, getFn : unit -> 'a, peekFn : unit -> 'a option, setFn : 'a -> unit}
  (* Makes a flag, of which each thread has its own: false until the thread sets it. *)
  val newThreadFlag : unit -> {getFn : unit -> bool, setFn : bool -> unit}
end

signature CHANNEL =
sig
  type 'a chan
  type 'a event

  (* Makes a channel. A message goes from a sender straight to a receiver: the channel holds none. *)
  val channel : unit -> 'a chan
  (* Whether both are the same channel. *)
  val sameChannel : 'a chan * 'a chan -> bool
  (* Blocks until a thread receives the message. A receiver that waits already runs at once. *)
  val send : 'a chan * 'a -> unit
  (* Blocks until a thread sends, and gives the message. Senders are served in the order in which they came. *)
  val recv : 'a chan -> 'a
  (* Happens when a thread receives the message. *)
  val sendEvt : 'a chan * 'a -> unit event
  (* Happens when a thread sends; its result is the message. *)
  val recvEvt : 'a chan -> 'a event
  (* Sends the message if a receiver waits, and says whether it did. It does not block. *)
  val sendPoll : 'a chan * 'a -> bool
  (* SOME of the message if a sender waits, else NONE. It does not block. *)
  val recvPoll : 'a chan -> 'a option
end

signature EVENT =
sig
  type 'a event

  (* Never happens: a thread that synchronises on it alone waits for good. *)
  val never : 'a event
  (* Can happen at once, whenever it is asked; its result is the value. *)
  val alwaysEvt : 'a -> 'a event
  (* The event, with another result: the function is called with the event's own one, after it has happened and in the
     thread that synchronised. *)
  val wrap : 'a event * ('a -> 'b) -> 'b event
  (* The event; an exception that its wrapped functions raise after it has happened goes to the function, which gives
     the result instead. Exceptions of guards do not go there. *)
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  (* Calls the function at each synchronisation and takes part with the event that it makes. *)
  val guard : (unit -> 'a event) -> 'a event
  (* As `guard`; the function also gets an event, which happens when another event of the same choice was taken. *)
  val withNack : (unit event -> 'a event) -> 'a event
  (* One of these events: whichever can happen first. Where several can, the priorities decide
     (docs/reference/cml.md), and equal ones take turns. Of an empty list, it never happens. *)
  val choose : 'a event list -> 'a event
  (* Blocks until the event happens, and gives its result. An exception of a function that is wrapped around it is
     raised here. *)
  val sync : 'a event -> 'a
  (* `sync` of `choose`: blocks until one of the events happens, and gives its result. *)
  val select : 'a event list -> 'a
end

signature TIME_OUT =
sig
  type 'a event

  (* Happens when so much time has passed since the synchronisation began. Of no time, or less, it can happen at
     once. *)
  val timeOutEvt : Time.time -> unit event
  (* Happens at that time of the day; at once if it is past. *)
  val atTimeEvt : Time.time -> unit event
end

(* Concurrent ML: threads and what each of them has of its own, channels, events, time-outs. *)
signature CML =
sig
  type thread_id
  type 'a chan
  type 'a event

  (* Which Concurrent ML this is, as a number of three parts. *)
  val version : {system : string, version_id : int list, date : string}
  (* Which Concurrent ML this is, as a text. *)
  val banner : string

  (* The running thread. *)
  val getTid : unit -> thread_id
  (* Whether two names are of the same thread. *)
  val sameTid : thread_id * thread_id -> bool
  (* The order in which two threads were made: the older one is less. *)
  val compareTid : thread_id * thread_id -> order
  (* A number for tables whose keys are threads: its number. *)
  val hashTid : thread_id -> word
  (* The thread's number in brackets, of six digits at least: `[000012]`. *)
  val tidToString : thread_id -> string
  (* `spawnc f x` makes a thread that calls f with x. The child runs at once, its parent waits in the ready queue. *)
  val spawnc : ('a -> unit) -> 'a -> thread_id
  (* Makes a thread that calls the function. The child runs at once, its parent waits in the ready queue. *)
  val spawn : (unit -> unit) -> thread_id
  (* Ends the running thread. Nothing behind it is evaluated, and no exception is raised. *)
  val exit : unit -> 'a
  (* Happens when the thread has ended: by return, by exit or by an exception that it does not catch. *)
  val joinEvt : thread_id -> unit event
  (* Lets the other threads that are ready run first; the running one goes to the end of the ready queue. *)
  val yield : unit -> unit
  (* Makes a property, of which each thread has a value of its own. getFn gives the running thread's; when there is
     none, it calls the function first and keeps what that gives. peekFn gives SOME of it, or NONE without making one.
     setFn gives it another value, clrFn takes the value away. *)
  val newThreadProp :
    (unit -> 'a)
    -> {clrFn : unit -> unit, getFn : unit -> 'a, peekFn : unit -> 'a option, setFn : 'a -> unit}
  (* Makes a flag, of which each thread has its own: false until the thread sets it. *)
  val newThreadFlag : unit -> {getFn : unit -> bool, setFn : bool -> unit}

  (* Makes a channel. A message goes from a sender straight to a receiver: the channel holds none. *)
  val channel : unit -> 'a chan
  (* Whether both are the same channel. *)
  val sameChannel : 'a chan * 'a chan -> bool
  (* Blocks until a thread receives the message. A receiver that waits already runs at once. *)
  val send : 'a chan * 'a -> unit
  (* Blocks until a thread sends, and gives the message. Senders are served in the order in which they came. *)
  val recv : 'a chan -> 'a
  (* Happens when a thread receives the message. *)
  val sendEvt : 'a chan * 'a -> unit event
  (* Happens when a thread sends; its result is the message. *)
  val recvEvt : 'a chan -> 'a event
  (* Sends the message if a receiver waits, and says whether it did. It does not block. *)
  val sendPoll : 'a chan * 'a -> bool
  (* SOME of the message if a sender waits, else NONE. It does not block. *)
  val recvPoll : 'a chan -> 'a option

  (* Never happens: a thread that synchronises on it alone waits for good. *)
  val never : 'a event
  (* Can happen at once, whenever it is asked; its result is the value. *)
  val alwaysEvt : 'a -> 'a event
  (* The event, with another result: the function is called with the event's own one, after it has happened and in the
     thread that synchronised. *)
  val wrap : 'a event * ('a -> 'b) -> 'b event
  (* The event; an exception that its wrapped functions raise after it has happened goes to the function, which gives
     the result instead. Exceptions of guards do not go there. *)
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  (* Calls the function at each synchronisation and takes part with the event that it makes. *)
  val guard : (unit -> 'a event) -> 'a event
  (* As `guard`; the function also gets an event, which happens when another event of the same choice was taken. *)
  val withNack : (unit event -> 'a event) -> 'a event
  (* One of these events: whichever can happen first. Where several can, the priorities decide
     (docs/reference/cml.md), and equal ones take turns. Of an empty list, it never happens. *)
  val choose : 'a event list -> 'a event
  (* Blocks until the event happens, and gives its result. An exception of a function that is wrapped around it is
     raised here. *)
  val sync : 'a event -> 'a
  (* `sync` of `choose`: blocks until one of the events happens, and gives its result. *)
  val select : 'a event list -> 'a

  (* Happens when so much time has passed since the synchronisation began. Of no time, or less, it can happen at
     once. *)
  val timeOutEvt : Time.time -> unit event
  (* Happens at that time of the day; at once if it is past. *)
  val atTimeEvt : Time.time -> unit event
end

(* What a thread has beside its stack: properties, and who wants to know of its end. *)
structure ThreadProps' =
struct
  datatype watched = datatype Member'.watched
  datatype props = datatype Member'.props
  type props = Member'.props

  val get = Member'.propsOf
  val set = Member'.setProps
  val hasEnded = PrimThreads'.thread_ended

  (* a thread's properties are changed by itself, by joinEvt, and by a thread that watches it *)
  val lock = Lock'.new ()

  fun watchersOf (RUNS list) = list
    | watchersOf (STOPPED list) = list
  fun tell (RUNS []) = ()
    | tell watched = List.app (fn (_, act) => act ()) (rev (watchersOf watched))
  fun watchedOf NONE' = RUNS []
    | watchedOf (PROPS {watched, ...}) = watched
    | watchedOf (SCOPED {watched, ...}) = watched
  fun tellOf thread = tell (watchedOf (get thread))

  type parts = {atEnd : unit -> unit, ended : Event'.condition, list : exn list, watched : watched}

  (* other ones; it stays in its scope *)
  fun put (thread, {atEnd, ended, list, watched} : parts) =
    set (thread,
         case get thread of
           SCOPED {member, ...} =>
             SCOPED {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched}
         | _ => PROPS {atEnd = atEnd, ended = ended, list = list, watched = watched})

  fun make thread : parts =
    case get thread of
      PROPS p => p
    | SCOPED {atEnd, ended, list, member, watched} =>
        let
          val isNew = ended = Member'.unasked
          val ended = if isNew then Event'.condition () else ended
        in
          if isNew then
            set (thread,
                 SCOPED
                   {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched})
          else ();
          {atEnd = atEnd, ended = ended, list = list, watched = watched}
        end
    | NONE' =>
        let
          val ended = Event'.condition ()
          val p =
            {atEnd = fn () => (tellOf thread; Event'.set ended),
             ended = ended,
             list = [],
             watched = RUNS []}
        in
          set (thread, PROPS p);
          p
        end

  fun change f =
    let
      val _ = Lock'.take lock
      val self = Thread.self ()
      val {atEnd, ended, list, watched} = make self
    in
      put (self, {atEnd = atEnd, ended = ended, list = f list, watched = watched});
      Lock'.release lock
    end

  (* Of the running thread, which has no properties yet. *)
  fun atEnd f =
    let
      val {atEnd, ended, list, watched} = make (Thread.self ())
    in
      put (Thread.self (),
           {atEnd = fn () => (f (); atEnd ()), ended = ended, list = list, watched = watched})
    end

  (* -- to be told when a thread ends or is stopped *)

  fun isOver thread =
    hasEnded thread
    orelse (case watchedOf (get thread) of
              STOPPED _ => true
            | RUNS _ => false)

  fun rewatch (thread, f) =
    let
      val () = Lock'.take lock
      val {atEnd, ended, list, watched} = make thread
    in
      put (thread,
           {atEnd = atEnd,
            ended = ended,
            list = list,
            watched =
              case watched of RUNS list => RUNS (f list) | STOPPED list => STOPPED (f list)});
      Lock'.release lock
    end
  (* As with joinEvt, look afterwards whether the thread is over. *)
  fun watch (thread, key, act) = rewatch (thread, fn watchers => (key, act) :: watchers)
  fun unwatch (thread, key) = rewatch (thread, List.filter (fn (other, _) => other <> key))

  (* Another thread is stopped, perhaps for good; or goes on after all. *)
  fun mark (thread, now) =
    let
      val () = Lock'.take lock
      val {atEnd, ended, list, watched} = make thread
    in
      put (thread, {atEnd = atEnd, ended = ended, list = list, watched = now});
      Lock'.release lock;
      tell watched
    end
  fun stop thread = mark (thread, STOPPED [])
  fun resume thread = mark (thread, RUNS [])

  fun list () =
    case get (Thread.self ()) of
      PROPS {list, ...} => list
    | SCOPED {list, ...} => list
    | NONE' => []

  (* The running thread is in a scope from now on. *)
  fun join member =
    let
      val _ = Lock'.take lock
      val self = Thread.self ()
      val {atEnd, ended, list, watched} = make self
    in
      set (self,
           SCOPED {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched});
      Lock'.release lock
    end

  val ending = ThreadStamp'.ending

  (* The running thread ends. First it says so, then it looks who wants to know; joinEvt asks to be told, then looks whether
     it ends. So one of them sees the other, on whatever workers they run: the compare-and-swap is a fence. *)
  fun say () =
    let
      val self = Thread.self ()
    in
      ignore (Transaction'.casStamp (self, Transaction'.stamp self, ending))
    end
  fun ends () =
    (say ();
     case get (Thread.self ()) of
       PROPS {atEnd, ...} => atEnd ()
     | SCOPED {atEnd, member, ...} => (! Member'.onEnd member; atEnd ())
     | NONE' => ())

  (* What the running thread has to do before it ends: a cell in its list, made at the first use, which nobody else
     changes; what came last is done first. A function that was left by a continuation has left its act there: that
     goes with the next one before it. *)
  exception Leaving of (unit -> unit) ref list ref
  fun acts [] = NONE
    | acts (Leaving cell :: _) = SOME cell
    | acts (_ :: rest) = acts rest
  fun newActs () =
    let
      val () = PrimFunctions'.noinline ()
      val cell = ref []
    in
      change (fn list => Leaving cell :: list);
      cell
    end
  fun toLeave act =
    let
      val key = ref act
      val cell = case acts (list ()) of SOME cell => cell | NONE => newActs ()
    in
      cell := key :: !cell;
      key
    end
  fun forget key =
    let
      fun without (cell, other :: rest) = if other = key then cell := rest else without (cell, rest)
        | without (_, []) = ()
    in
      case acts (list ()) of
        SOME cell => without (cell, !cell)
      | NONE => ()
    end
  fun leave () =
    case acts (list ()) of
      SOME (cell as ref (ref act :: rest)) => (cell := rest; act () handle _ => (); leave ())
    | _ => ()

  (* The result of the function; the act is done if the thread ends in it, and only then. *)
  fun leaving (act, f) =
    let
      val key = toLeave act
      val x = f () handle e => (forget key; raise e)
    in
      forget key;
      x
    end

  val () = (Member'.toLeave := toLeave; Member'.forget := forget)

  val joining = ParkReason'.join

  fun joinEvt thread =
    let
      val _ = Lock'.take lock
      val {ended, ...} = make thread
    in
      Lock'.release lock;
      (* it may have looked at its properties before they were there (`hasEnded` looks behind a fence) *)
      if hasEnded thread then Event'.set ended else ();
      Event'.conditionEvt (ended, joining)
    end
end

structure CML :> CML
  where type thread_id = Thread.thread
  where type 'a chan = 'a Channel'.chan
  where type 'a event = 'a Event'.event =
struct
  val version = {system = "Concurrent ML (Leat)", version_id = [1, 0, 10], date = "2026"}
  val banner = "Concurrent ML (Leat)"

  type thread_id = Thread.thread

  val getTid = Thread.self
  fun sameTid (a : thread_id, b) = a = b
  fun compareTid (a, b) = Int.compare (Thread.id a, Thread.id b)
  fun hashTid t = Word.fromInt (Thread.id t)
  fun tidToString t = "[" ^ StringCvt.padLeft #"0" 6 (Int.toString (Thread.id t)) ^ "]"

  fun spawn f = Thread.spawn (fn () => (f (); ThreadProps'.ends ()))
  fun spawnc f x = Thread.spawn (fn () => (f x : unit; ThreadProps'.ends ()))
  fun exit () = (ThreadProps'.leave (); ThreadProps'.ends (); Thread.exit ())
  val yield = Thread.yield
  val joinEvt = ThreadProps'.joinEvt

  fun newThreadProp init =
    let
      exception Prop of 'a
      fun find [] = NONE
        | find (Prop x :: _) = SOME x
        | find (_ :: rest) = find rest
      fun isOther (Prop _) = false
        | isOther _ = true
      fun peek () = find (ThreadProps'.list ())
      fun clear () = ThreadProps'.change (List.filter isOther)
      fun set x = ThreadProps'.change (fn list => Prop x :: List.filter isOther list)
      fun get () =
        case peek () of
          SOME x => x
        | NONE => let val x = init () in set x; x end
    in
      {clrFn = clear, getFn = get, peekFn = peek, setFn = set}
    end

  fun newThreadFlag () =
    let
      val {peekFn, setFn, ...} = newThreadProp (fn () => false)
    in
      {getFn = fn () => Option.getOpt (peekFn (), false), setFn = setFn}
    end

  open Channel' Event' TimeOut'
end
