(* SyncVar: variables that are empty or full. An ivar is filled once; an mvar is taken and filled in turn.

   One representation serves both. Who finds it empty waits in one queue, in order of arrival, with what he wants: to read
   it, to take it, or to swap it. Who fills it serves the queue until somebody has taken the value. *)

signature SYNC_VAR =
sig
  type 'a ivar
  type 'a mvar
  type 'a event

  (* by putting a value where one is *)
  exception Put

  (* a new one, empty *)
  val iVar : unit -> 'a ivar
  val iPut : 'a ivar * 'a -> unit
  (* blocks until it is full *)
  val iGet : 'a ivar -> 'a
  val iGetEvt : 'a ivar -> 'a event
  val iGetPoll : 'a ivar -> 'a option
  val sameIVar : 'a ivar * 'a ivar -> bool

  val mVar : unit -> 'a mvar
  val mVarInit : 'a -> 'a mvar
  val mPut : 'a mvar * 'a -> unit
  (* blocks until it is full, and empties it *)
  val mTake : 'a mvar -> 'a
  val mTakeEvt : 'a mvar -> 'a event
  val mTakePoll : 'a mvar -> 'a option
  (* leaves it full *)
  val mGet : 'a mvar -> 'a
  val mGetEvt : 'a mvar -> 'a event
  val mGetPoll : 'a mvar -> 'a option
  (* the old value; the new one is there at once, nobody comes in between *)
  val mSwap : 'a mvar * 'a -> 'a
  val mSwapEvt : 'a mvar * 'a -> 'a event
  val sameMVar : 'a mvar * 'a mvar -> bool
end

structure SyncVar :> SYNC_VAR where type 'a event = 'a Event'.event =
struct
  open Transaction'

  type 'a event = 'a Event'.event
  exception Put

  datatype 'a wish = GET | TAKE | SWAP of 'a

  type 'a cell =
    {lock : int ref, priority : int ref, value : 'a option ref, fuel : int ref, made : string,
     waiting : 'a wish Waiting'.queue}
  type 'a ivar = 'a cell
  type 'a mvar = 'a cell

  (* reason of a thread dump *)
  val variable = ParkReason'.variable
  structure ForVariable = AwaitFn' (val reason = variable)

  fun make (value, made) : 'a cell =
    {lock = Lock'.new (), priority = ref 0, value = ref value, fuel = ref 16, made = made, waiting = Waiting'.new ()}
  fun iVar () = make (NONE, calledAt ())
  fun mVar () = make (NONE, calledAt ())
  fun mVarInit x = make (SOME x, calledAt ())
  fun same ({lock = a, ...} : 'a cell, {lock = b, ...} : 'a cell) = a = b
  val sameIVar = same
  val sameMVar = same

  (* What is in the cell after a wish for this value was fulfilled. *)
  fun left (GET, x) = SOME x
    | left (TAKE, _) = NONE
    | left (SWAP y, _) = SOME y

  fun put ({lock, priority, value, waiting, ...} : 'a cell, x) =
    let
      fun wake [] = ()
        | wake (thread :: rest) = (Thread.ready thread; wake rest)
      (* the threads served; the last one is first *)
      fun serve (x, served) =
        case Waiting'.take waiting of
          Waiting'.NOBODY => (value := SOME x; served)
        | Waiting'.ITEM {thread, synched, offer, ...} =>
            (leave (thread, x);
             setStamp (thread, synched);
             case left (offer, x) of
               SOME y => serve (y, thread :: served)
             | NONE => (value := NONE; thread :: served))
    in
      Lock'.take lock;
      case !value of
        SOME _ => (Lock'.release lock; raise Put)
      | NONE =>
          case serve (x, []) of
            [] => Lock'.release lock
          | last :: rest =>
              (priority := 1;
               Lock'.release lock;
               wake (rev rest);
               Thread.switch last)
    end

  val iPut = put
  val mPut = put

  fun want (wish : 'a wish) ({lock, priority, value, made, waiting, ...} : 'a cell) =
    (Lock'.take lock;
     case !value of
       SOME x =>
         (priority := 1;
          value := left (wish, x);
          Lock'.release lock;
          x)
     | NONE =>
         let
           val self = Thread.self ()
           val stamp = begin self
         in
           waitsFor (self, made);
           Waiting'.add (waiting, {synched = synched (stamp, 0), thread = self, waiting = stamp}, wish);
           Lock'.unlock lock;
           ForVariable.await ()
         end)

  fun wantPoll (wish : 'a wish) ({lock, priority, value, ...} : 'a cell) =
    (Lock'.take lock;
     case !value of
       NONE => (Lock'.release lock; NONE)
     | found as SOME x =>
         (priority := 1;
          value := left (wish, x);
          Lock'.release lock;
          found))

  fun wantEvt (wish : 'a wish) ({lock, priority, value, fuel, made, waiting} : 'a cell) =
    let
      fun poll () = Option.isSome (!value)
      (* the lock is held *)
      fun get x =
        (leave (Thread.self (), x);
         priority := 1;
         value := left (wish, x))
      fun commit () =
        (Lock'.take lock;
         case !value of
           SOME x => (get x; Lock'.release lock; Event'.WON)
         | NONE => (Lock'.release lock; Event'.LOST))
      (* filled since it was polled, by another worker *)
      fun late (w, x) =
        case claim w of
          CLAIMED => (get x; Transaction'.commit w; Lock'.release lock; Event'.MATCHED)
        | OVER => (Lock'.release lock; Event'.GONE)
        | BUSY => (Lock'.pause (); late (w, x))
      fun block w =
        (Lock'.take lock;
         case !value of
           SOME x => late (w, x)
         | NONE => Waiting'.addChoice (waiting, w, wish, fuel) before Lock'.release lock)
    in
      Event'.received {poll = poll, priority = priority, commit = commit, block = block, reason = variable, made = made}
    end

  fun iGet cell = want GET cell
  fun iGetEvt cell = wantEvt GET cell
  fun iGetPoll cell = wantPoll GET cell
  fun mGet cell = want GET cell
  fun mGetEvt cell = wantEvt GET cell
  fun mGetPoll cell = wantPoll GET cell
  fun mTake cell = want TAKE cell
  fun mTakeEvt cell = wantEvt TAKE cell
  fun mTakePoll cell = wantPoll TAKE cell
  fun mSwap (cell, x) = want (SWAP x) cell
  fun mSwapEvt (cell, x) = wantEvt (SWAP x) cell
end
