(* CML: threads, channels, events and time-outs of Concurrent ML, with the types and the meaning of SML/NJ's library (Reppy,
   Concurrent Programming in ML, 1999). What they are made of stands in event.sml, channel.sml and timeout.sml. *)

signature THREAD =
sig
  type thread_id
  type 'a event

  (* the running thread *)
  val getTid : unit -> thread_id
  val sameTid : thread_id * thread_id -> bool
  (* in order of creation *)
  val compareTid : thread_id * thread_id -> order
  val hashTid : thread_id -> word
  val tidToString : thread_id -> string

  (* the child runs at once, its parent waits in the ready queue *)
  val spawnc : ('a -> unit) -> 'a -> thread_id
  val spawn : (unit -> unit) -> thread_id
  val exit : unit -> 'a
  (* happens when the thread has ended: by return, exit or an exception *)
  val joinEvt : thread_id -> unit event
  val yield : unit -> unit

  (* A value for each thread. The function makes the first one when it is asked for; peekFn does not. *)
  val newThreadProp :
    (unit -> 'a) -> {clrFn : unit -> unit, getFn : unit -> 'a, peekFn : unit -> 'a option, setFn : 'a -> unit}
  (* false at first *)
  val newThreadFlag : unit -> {getFn : unit -> bool, setFn : bool -> unit}
end

signature CHANNEL =
sig
  type 'a chan
  type 'a event

  (* a new one *)
  val channel : unit -> 'a chan
  val sameChannel : 'a chan * 'a chan -> bool
  (* blocks until somebody receives; a waiting receiver runs at once *)
  val send : 'a chan * 'a -> unit
  (* blocks until somebody sends *)
  val recv : 'a chan -> 'a
  val sendEvt : 'a chan * 'a -> unit event
  val recvEvt : 'a chan -> 'a event
  (* only if somebody waits *)
  val sendPoll : 'a chan * 'a -> bool
  val recvPoll : 'a chan -> 'a option
end

signature EVENT =
sig
  type 'a event

  (* never happens; happens at once *)
  val never : 'a event
  val alwaysEvt : 'a -> 'a event
  (* the function runs after the event has happened *)
  val wrap : 'a event * ('a -> 'b) -> 'b event
  (* for exceptions of what the event is wrapped in *)
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  (* the function runs at each synchronisation *)
  val guard : (unit -> 'a event) -> 'a event
  (* likewise; the event that it gets happens when another one of the choice was taken *)
  val withNack : (unit event -> 'a event) -> 'a event
  val choose : 'a event list -> 'a event
  val sync : 'a event -> 'a
  val select : 'a event list -> 'a
end

signature TIME_OUT =
sig
  type 'a event

  (* so long after the synchronisation began *)
  val timeOutEvt : Time.time -> unit event
  val atTimeEvt : Time.time -> unit event
end

(* The four signatures above, and: *)
signature CML =
sig
  type thread_id
  type 'a chan
  type 'a event

  (* which Concurrent ML this is *)
  val version : {system : string, version_id : int list, date : string}
  val banner : string

  (* As THREAD has them. *)
  val getTid : unit -> thread_id
  val sameTid : thread_id * thread_id -> bool
  val compareTid : thread_id * thread_id -> order
  val hashTid : thread_id -> word
  val tidToString : thread_id -> string
  val spawnc : ('a -> unit) -> 'a -> thread_id
  val spawn : (unit -> unit) -> thread_id
  val exit : unit -> 'a
  val joinEvt : thread_id -> unit event
  val yield : unit -> unit
  val newThreadProp :
    (unit -> 'a) -> {clrFn : unit -> unit, getFn : unit -> 'a, peekFn : unit -> 'a option, setFn : 'a -> unit}
  val newThreadFlag : unit -> {getFn : unit -> bool, setFn : bool -> unit}

  (* As CHANNEL has them. *)
  val channel : unit -> 'a chan
  val sameChannel : 'a chan * 'a chan -> bool
  val send : 'a chan * 'a -> unit
  val recv : 'a chan -> 'a
  val sendEvt : 'a chan * 'a -> unit event
  val recvEvt : 'a chan -> 'a event
  val sendPoll : 'a chan * 'a -> bool
  val recvPoll : 'a chan -> 'a option

  (* As EVENT has them. *)
  val never : 'a event
  val alwaysEvt : 'a -> 'a event
  val wrap : 'a event * ('a -> 'b) -> 'b event
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  val guard : (unit -> 'a event) -> 'a event
  val withNack : (unit event -> 'a event) -> 'a event
  val choose : 'a event list -> 'a event
  val sync : 'a event -> 'a
  val select : 'a event list -> 'a

  (* As TIME_OUT has them. *)
  val timeOutEvt : Time.time -> unit event
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
            set (thread, SCOPED {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched})
          else ();
          {atEnd = atEnd, ended = ended, list = list, watched = watched}
        end
    | NONE' =>
        let
          val ended = Event'.condition ()
          val p = {atEnd = fn () => (tellOf thread; Event'.set ended), ended = ended, list = [], watched = RUNS []}
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
    let val {atEnd, ended, list, watched} = make (Thread.self ())
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
    let val self = Thread.self ()
    in
      if !Workers'.several then ignore (Transaction'.casStamp (self, Transaction'.stamp self, ending))
      else Transaction'.setStamp (self, ending)
    end
  fun ends () =
    (say ();
     case get (Thread.self ()) of
       PROPS {atEnd, ...} => atEnd ()
     | SCOPED {atEnd, member, ...} => (!Member'.onEnd member; atEnd ())
     | NONE' => ())

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
  fun exit () = (ThreadProps'.ends (); Thread.exit ())
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
    let val {peekFn, setFn, ...} = newThreadProp (fn () => false)
    in {getFn = fn () => Option.getOpt (peekFn (), false), setFn = setFn} end

  open Channel' Event' TimeOut'
end
