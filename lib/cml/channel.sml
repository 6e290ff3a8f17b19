(* CML, RunCML: threads and synchronous channels, with the types and the meaning of Concurrent ML (Reppy, Concurrent
   Programming in ML, 1999). Events come on top of this.

   A channel is in one of three states, and only the holder of its lock changes it:

     IDLE --send--> SENDERS (each blocked with its message) --recv takes the first--> ...
     IDLE --recv--> RECEIVERS (each blocked with a cell for its message) --send fills the first--> ...

   The lock is a word that compare-and-swap takes; a thread that holds it is not pre-empted, so the holder always runs on
   another worker and the wait is short. With one worker it is never found taken. *)

signature CML =
sig
  type thread_id
  type 'a chan

  val getTid : unit -> thread_id
  val sameTid : thread_id * thread_id -> bool
  val compareTid : thread_id * thread_id -> order
  val hashTid : thread_id -> word
  val tidToString : thread_id -> string

  (* the child runs at once, its parent waits in the ready queue *)
  val spawnc : ('a -> unit) -> 'a -> thread_id
  val spawn : (unit -> unit) -> thread_id
  val exit : unit -> 'a
  val yield : unit -> unit

  val channel : unit -> 'a chan
  val sameChannel : 'a chan * 'a chan -> bool
  (* blocks until somebody receives; a waiting receiver runs at once *)
  val send : 'a chan * 'a -> unit
  (* blocks until somebody sends *)
  val recv : 'a chan -> 'a
  val sendPoll : 'a chan * 'a -> bool
  val recvPoll : 'a chan -> 'a option
end

(* First in, first out; two lists. For the library. *)
structure Queue' =
struct
  type 'a queue = {front : 'a list ref, back : 'a list ref}

  fun new () : 'a queue = {front = ref [], back = ref []}

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
end

(* Locks for a few instructions. For the library. While there is one worker, the atomic section is the lock: no other
   thread runs in it. *)
structure Lock' =
struct
  val cas = _prim "ref_cas" : int ref * int * int -> bool

  fun new () = ref 0

  fun spin lock =
    if cas (lock, 0, 1) then ()
    else (Thread.atomicEnd (); Thread.yield (); Thread.atomicBegin (); spin lock)

  fun take lock =
    (Thread.atomicBegin ();
     if !Workers'.several then spin lock else ())

  fun release lock =
    (if !Workers'.several then lock := 0 else ();
     Thread.atomicEnd ())
end

structure CML :> CML =
struct
  type thread_id = Thread.thread

  val getTid = Thread.self
  fun sameTid (a : thread_id, b) = a = b
  fun compareTid (a, b) = Int.compare (Thread.id a, Thread.id b)
  fun hashTid t = Word.fromInt (Thread.id t)
  fun tidToString t = "[" ^ StringCvt.padLeft #"0" 6 (Int.toString (Thread.id t)) ^ "]"

  val spawn = Thread.spawn
  fun spawnc f x = Thread.spawn (fn () => f x)
  val exit = Thread.exit
  val yield = Thread.yield

  (* what a receiver waits with: the message is put in the cell before it is made ready *)
  type 'a receiver = {thread : thread_id, cell : 'a option ref}
  type 'a sender = {thread : thread_id, message : 'a}

  type 'a chan =
    {lock : int ref, senders : 'a sender Queue'.queue, receivers : 'a receiver Queue'.queue}

  (* reasons of a thread dump *)
  val sending = 1
  val receiving = 2

  fun channel () : 'a chan = {lock = Lock'.new (), senders = Queue'.new (), receivers = Queue'.new ()}
  fun sameChannel ({lock = a, ...} : 'a chan, {lock = b, ...} : 'a chan) = a = b

  fun send ({lock, senders, receivers} : 'a chan, message) =
    (Lock'.take lock;
     case Queue'.take receivers of
       SOME {thread, cell} =>
         (cell := SOME message;
          Lock'.release lock;
          Thread.switch thread)
     | NONE =>
         (Queue'.add (senders, {thread = Thread.self (), message = message});
          Lock'.release lock;
          Thread.park sending))

  fun recv ({lock, senders, receivers} : 'a chan) =
    (Lock'.take lock;
     case Queue'.take senders of
       SOME {thread, message} =>
         (Lock'.release lock;
          Thread.ready thread;
          message)
     | NONE =>
         let
           val cell = ref NONE
           fun wait () =
             case !cell of
               SOME message => message
             | NONE => (Thread.park receiving; wait ())
         in
           Queue'.add (receivers, {thread = Thread.self (), cell = cell});
           Lock'.release lock;
           wait ()
         end)

  fun sendPoll ({lock, receivers, ...} : 'a chan, message) =
    (Lock'.take lock;
     case Queue'.take receivers of
       SOME {thread, cell} =>
         (cell := SOME message;
          Lock'.release lock;
          Thread.switch thread;
          true)
     | NONE => (Lock'.release lock; false))

  fun recvPoll ({lock, senders, ...} : 'a chan) =
    (Lock'.take lock;
     case Queue'.take senders of
       SOME {thread, message} =>
         (Lock'.release lock;
          Thread.ready thread;
          SOME message)
     | NONE => (Lock'.release lock; NONE))
end

structure RunCML =
struct
  local
    val active = ref false
  in
    (* Runs the program; the slice is the runtime's own, whatever is asked for. The program ends when the function has
       returned: threads that are still blocked then are dropped. *)
    fun doit (f : unit -> unit, slice : Time.time option) =
      (active := true;
       f ();
       active := false;
       OS.Process.success)
    fun isRunning () = !active
    fun shutdown status = OS.Process.exit status
  end
end
