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
  fun joinEvt thread =
    let
      val ended = ThreadProps'.ended thread
    in
      (* it may have looked at its properties before they were there (`hasEnded` looks behind a fence) *)
      if ThreadProps'.hasEnded thread then Event'.set ended else ();
      Event'.conditionEvt (ended, ParkReason'.join)
    end

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
