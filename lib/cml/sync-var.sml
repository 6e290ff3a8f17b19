(* SyncVar: variables that are empty or full. An ivar is filled once; an mvar is taken and filled in turn. *)

(* One representation serves both: a cell (see Transaction'), whose states are

     NEW, EMPTY --put--> FULL --take--> EMPTY          NEW, EMPTY --wait--> WAITER, ONE --put--> EMPTY, or FULL for who only looks

   and MANY, as soon as a second thread waits: a queue under a lock. Who finds it empty waits there in order of arrival, with
   what he wants: to read it, to take it, or to swap it. Who fills it serves the queue until somebody has taken the value.
   When nobody has stood behind another one for a while, the cell becomes light again. *)

signature SYNC_VAR =
sig
  type 'a ivar
  type 'a mvar
  type 'a event

  (* by putting a value where one is *)
  exception Put

  (* Makes a variable that is filled once; it is empty. *)
  val iVar : unit -> 'a ivar
  (* Fills the variable, and wakes all that wait for it. Raises Put when it is full already. It does not block. *)
  val iPut : 'a ivar * 'a -> unit
  (* The value; blocks until the variable is full. It stays full, so all who ask get the same value. *)
  val iGet : 'a ivar -> 'a
  (* Happens when the variable is full; its result is the value. *)
  val iGetEvt : 'a ivar -> 'a event
  (* SOME of the value, or NONE when the variable is empty. It does not block. *)
  val iGetPoll : 'a ivar -> 'a option
  (* Whether both are the same variable. *)
  val sameIVar : 'a ivar * 'a ivar -> bool

  (* Makes a variable that is filled and emptied by turns; it is empty. *)
  val mVar : unit -> 'a mvar
  (* Makes such a variable with a value in it. *)
  val mVarInit : 'a -> 'a mvar
  (* Fills the variable, or serves those who wait for it. Raises Put when it is full. It does not block. *)
  val mPut : 'a mvar * 'a -> unit
  (* Takes the value out, which leaves the variable empty; blocks until it is full. *)
  val mTake : 'a mvar -> 'a
  (* Happens when the variable is full, and empties it; its result is the value. *)
  val mTakeEvt : 'a mvar -> 'a event
  (* SOME of the value, which it takes out, or NONE when the variable is empty. It does not block. *)
  val mTakePoll : 'a mvar -> 'a option
  (* The value, which stays in the variable; blocks until it is full. *)
  val mGet : 'a mvar -> 'a
  (* Happens when the variable is full, and leaves it full; its result is the value. *)
  val mGetEvt : 'a mvar -> 'a event
  (* SOME of the value, which stays, or NONE when the variable is empty. It does not block. *)
  val mGetPoll : 'a mvar -> 'a option
  (* Takes the value out and puts the new one in, in one step: no thread comes in between. Blocks until it is full. *)
  val mSwap : 'a mvar * 'a -> 'a
  (* Happens when the variable is full, and puts the new value in; its result is the old one. *)
  val mSwapEvt : 'a mvar * 'a -> 'a event
  (* Whether both are the same variable. *)
  val sameMVar : 'a mvar * 'a mvar -> bool
end

(* Variables that are empty or full, with a function that those of SML/NJ do not have. *)
signature MODIFY_SYNC_VAR =
sig
  include SYNC_VAR

  (* Takes the value out, and puts in what the function makes of it; the function's other result is that of the call.
     Meanwhile the variable is empty, so others wait; the function may wait, too. If it raises an exception, is
     cancelled or says CML.exit, the value that was there is put back. Raises Put if somebody else has put one
     meanwhile. *)
  val mModify : 'a mvar * ('a -> 'a * 'b) -> 'b
end

structure SyncVar :> MODIFY_SYNC_VAR where type 'a event = 'a Event'.event =
struct
  open Transaction'

  type 'a event = 'a Event'.event
  exception Put

  datatype 'a wish = GET | TAKE | SWAP of 'a

  (* A variable that has never been read has the priority 0, that of a fixed event; afterwards it is 1, and rises while it is
     full. *)
  datatype 'a state =
      (* empty, and it has never been read *)
      NEW
    (* empty *)
    | EMPTY
    | FULL of {priority : int, value : 'a}
    (* empty; a thread waits for nothing else, and wants what is usual: to read an ivar, to take an mvar *)
    | WAITER of Thread.thread
    (* Empty, NEW or EMPTY; a thread waits, who may have other events too. With several workers it has not. *)
    | ONE of
        {beneath : 'a state, offer : 'a wish, synched : int, thread : Thread.thread, waiting : int}
    | MANY of
        {lock : int ref,
         priority : int ref,
         value : 'a option ref,
         fuel : int ref,
         idle : int ref,
         front : 'a wish Waiting'.items ref,
         back : 'a wish Waiting'.items ref}

  type 'a variable = 'a state ref
  type 'a ivar = 'a variable
  type 'a mvar = 'a variable

  (* reason of a thread dump *)
  val variable = ParkReason'.variable
  structure ForVariable = AwaitFn' (val reason = variable)

  fun iVar () = cell NEW
  fun mVar () = cell NEW
  fun mVarInit x = cell (FULL {priority = 0, value = x})
  fun sameIVar (a : 'a ivar, b) = a = b
  fun sameMVar (a : 'a mvar, b) = a = b

  (* what is in the variable after a wish for this value was fulfilled *)
  fun left (GET, x) = SOME x
    | left (TAKE, _) = NONE
    | left (SWAP y, _) = SOME y
  fun after (TAKE, _) = EMPTY
    | after (GET, x) = FULL {priority = 1, value = x}
    | after (SWAP y, _) = FULL {priority = 1, value = y}

  fun isUsual (GET, GET) = true
    | isUsual (TAKE, TAKE) = true
    | isUsual _ = false

  (* What is not light. In an atomic section, as all that follows: with the lock of a cell that is MANY, its state stays so.
     `usual` is the wish of a WAITER: GET for an ivar, TAKE for an mvar. *)

  (* The new lock is this thread's until the thread that stood in the state that was swapped is in the queue: nobody else
     finds the variable without it. Only after the swap is it certain what that thread waits with. *)
  fun inflate (cell, state, usual) =
    let
      val () = noinline ()
      val lock = Lock'.newHeld ()
      val priority =
        case state of
          NEW => 0
        | ONE {beneath = NEW, ...} => 0
        | _ => 1
      val (front, back) = (ref Waiting'.NOBODY, ref Waiting'.NOBODY)
      fun add (w, wish) = Waiting'.add ({front = front, back = back}, w, wish)
    in
      if swap (cell,
               state,
               MANY {lock = lock,
                     priority = ref priority,
                     value = ref NONE,
                     fuel = ref 16,
                     idle = ref 0,
                     front = front,
                     back = back})
      then
        (case state of
           WAITER thread => add (single thread, usual)
         | ONE {offer, synched, thread, waiting, ...} =>
             add ({synched = synched, thread = thread, waiting = waiting}, offer)
         | _ => ();
         Lock'.unlock lock)
      else ()
    end

  (* What was done has left nobody in the queue: the variable may be light again. The lock is held. *)
  fun settle (cell, value, priority, idle, front, back) =
    if Waiting'.isIdle ({front = front, back = back}, idle) then
      cell :=
        (case !value of
           SOME x => FULL {priority = !priority, value = x}
         | NONE => if !priority = 0 then NEW else EMPTY)
    else ()

  fun wake [] = ()
    | wake (thread :: rest) = (Thread.ready thread; wake rest)

  (* The usual cases first; `putAny` and `wantAny` are all others. *)

  fun put (cell, x, usual) =
    (noinline ();
     Thread.atomicBegin ();
     case !cell of
       new as NEW =>
         if swap (cell, new, FULL {priority = 0, value = x}) then Thread.atomicEnd ()
         else putAny (cell, x, usual)
     | empty as EMPTY =>
         if swap (cell, empty, FULL {priority = 1, value = x}) then Thread.atomicEnd ()
         else putAny (cell, x, usual)
     | one as WAITER thread =>
         if swap (cell, one, after (usual, x)) then give (thread, onlyOf thread, x)
         else putAny (cell, x, usual)
     | _ => putAny (cell, x, usual))

  and putAny (cell, x, usual) =
    (noinline ();
     case !cell of
       FULL _ => (Thread.atomicEnd (); raise Put)
     | one as ONE {beneath, offer, synched, thread, waiting} =>
         if isPast (thread, waiting) then
           (ignore (swap (cell, one, beneath)); putAny (cell, x, usual))
         else if isAlone (waiting, synched) then
           if swap (cell, one, after (offer, x)) then give (thread, synched, x)
           else putAny (cell, x, usual)
         else (inflate (cell, one, usual); putAny (cell, x, usual))
     | many as MANY {lock, priority, value, idle, front, back, ...} =>
         let
           (* the threads served; the last one is first *)
           fun serve (x, served) =
             case Waiting'.take {front = front, back = back} of
               Waiting'.NOBODY => (value := SOME x; served)
             | Waiting'.ITEM {thread, synched, offer, ...} =>
                 (deliver (thread, synched, x);
                  case left (offer, x) of
                    SOME y => serve (y, thread :: served)
                  | NONE => (value := NONE; thread :: served))
         in
           Lock'.lock lock;
           if not (has (cell, many)) then (Lock'.unlock lock; putAny (cell, x, usual))
           else if Option.isSome (!value) then (Lock'.release lock; raise Put)
           else
             case rev (serve (x, [])) of
               [] => (settle (cell, value, priority, idle, front, back); Lock'.release lock)
             | first :: rest =>
                 (priority := 1;
                  settle (cell, value, priority, idle, front, back);
                  Lock'.unlock lock;
                  wake rest;
                  switchTo first)
         end
     | _ => (Thread.atomicEnd (); put (cell, x, usual)))

  fun iPut (cell, x) = put (cell, x, GET)
  fun mPut (cell, x) = put (cell, x, TAKE)

  fun waiter (beneath, {synched, thread, waiting} : waiter, wish, usual) =
    if synched = only waiting andalso isUsual (wish, usual) then WAITER thread
    else
      ONE {beneath = beneath, offer = wish, synched = synched, thread = thread, waiting = waiting}

  fun want (cell, wish, usual) =
    (noinline ();
     Thread.atomicBegin ();
     case !cell of
       full as FULL {value = x, priority} =>
         (case (wish, priority) of
            (GET, 1) => (Thread.atomicEnd (); x)
          | _ =>
              if swap (cell, full, after (wish, x)) then (Thread.atomicEnd (); x)
              else wantAny (cell, wish, usual))
     | new as NEW =>
         if swapToWait (cell, new, waiter (new, alone cell, wish, usual)) then ForVariable.await ()
         else wantAny (cell, wish, usual)
     | empty as EMPTY =>
         if swapToWait (cell, empty, waiter (empty, alone cell, wish, usual)) then
           ForVariable.await ()
         else wantAny (cell, wish, usual)
     | _ => wantAny (cell, wish, usual))

  and wantAny (cell, wish, usual) =
    (noinline ();
     case !cell of
       many as MANY {lock, priority, value, fuel, idle, front, back} =>
         (Lock'.lock lock;
          if not (has (cell, many)) then (Lock'.unlock lock; wantAny (cell, wish, usual))
          else
            case !value of
              SOME x =>
                (priority := 1;
                 value := left (wish, x);
                 settle (cell, value, priority, idle, front, back);
                 Lock'.release lock;
                 x)
            | NONE =>
                let
                  val queue = {front = front, back = back}
                in
                  Waiting'.contend (queue, idle);
                  if inScope () then
                    let
                      val w = aloneInScope cell
                    in
                      if isOver w then () else ignore (Waiting'.addChoice (queue, w, wish, fuel));
                      Lock'.unlock lock;
                      awaitInScope (w, variable);
                      collect ()
                    end
                  else
                    (Waiting'.add (queue, alone cell, wish);
                     Lock'.unlock lock;
                     ForVariable.await ())
                end)
     | one as ONE {beneath, thread, waiting, ...} =>
         if isPast (thread, waiting) then
           (ignore (swap (cell, one, beneath)); Thread.atomicEnd (); want (cell, wish, usual))
         else (inflate (cell, one, usual); wantAny (cell, wish, usual))
     | one as WAITER _ => (inflate (cell, one, usual); wantAny (cell, wish, usual))
     | FULL _ => (Thread.atomicEnd (); want (cell, wish, usual))
     (* empty, since a moment ago or for a thread in a scope *)
     | empty =>
         if not (inScope ()) then (Thread.atomicEnd (); want (cell, wish, usual))
         else if Workers'.several () then
           (inflate (cell, empty, usual); wantAny (cell, wish, usual))
         else
           let
             val w as {synched, thread, waiting} = aloneInScope cell
           in
             if isOver w then ()
             else
               cell :=
                 ONE {beneath = empty,
                      offer = wish,
                      synched = synched,
                      thread = thread,
                      waiting = waiting};
             awaitInScope (w, variable);
             collect ()
           end)

  (* In an atomic section, which goes on: the value, if there is one. *)
  fun wantNow (cell, wish) =
    case !cell of
      full as FULL {value = x, ...} =>
        if swap (cell, full, after (wish, x)) then SOME x else wantNow (cell, wish)
    | many as MANY {lock, priority, value, idle, front, back, ...} =>
        (Lock'.lock lock;
         if not (has (cell, many)) then (Lock'.unlock lock; wantNow (cell, wish))
         else
           case !value of
             NONE => (Lock'.unlock lock; NONE)
           | found as SOME x =>
               (priority := 1;
                value := left (wish, x);
                settle (cell, value, priority, idle, front, back);
                Lock'.unlock lock;
                found))
    | _ => NONE

  fun wantPoll (cell, wish) =
    (Thread.atomicBegin (); wantNow (cell, wish) before Thread.atomicEnd ())

  fun wantEvt (cell, wish, usual) =
    let
      fun poll ages =
        case !cell of
          full as FULL {priority, value} =>
            (if ages andalso priority > 0 then
               ignore (swap (cell, full, FULL {priority = plus (priority, 1), value = value}))
             else ();
             plus (priority, 2))
        | MANY {value = ref (SOME _), priority, ...} =>
            let
              val p = !priority
            in
              if ages andalso p > 0 then priority := plus (p, 1) else ();
              plus (p, 2)
            end
        | _ => 0
      fun commit () =
        case wantNow (cell, wish) of
          SOME x => (leave (Thread.self (), x); Event'.WON)
        | NONE => Event'.LOST
      fun block w =
        let
          val () = noinline ()
          val {synched, waiting, ...} = w
          fun again () = block w
          fun stand (old, beneath) =
            if isAlone (waiting, synched) then
              if swap (cell, old, waiter (beneath, w, wish, usual)) then WAITS else again ()
            else (inflate (cell, old, usual); again ())
        in
          case !cell of
            (* filled since it was polled, by another worker *)
            full as FULL {value = x, ...} =>
              (case claim w of
                 OVER => GONE
               | BUSY => (Lock'.pause (); again ())
               | CLAIMED =>
                   if swap (cell, full, after (wish, x)) then
                     (leave (#thread w, x); Transaction'.commit w; MATCHED)
                   else (release w; again ()))
          | empty as NEW => stand (empty, empty)
          | empty as EMPTY => stand (empty, empty)
          | one as ONE {beneath, thread, waiting, ...} =>
              if isPast (thread, waiting) then stand (one, beneath)
              else (inflate (cell, one, usual); again ())
          | one as WAITER _ => (inflate (cell, one, usual); again ())
          | many as MANY {lock, priority, value, fuel, idle, front, back} =>
              let
                val queue = {front = front, back = back}
                (* likewise; the lock is held *)
                fun late x =
                  if seize w then
                    (leave (#thread w, x);
                     priority := 1;
                     value := left (wish, x);
                     Transaction'.commit w;
                     MATCHED)
                  else GONE
              in
                Lock'.lock lock;
                if not (has (cell, many)) then (Lock'.unlock lock; again ())
                else
                  (case !value of
                     SOME x => late x
                   | NONE =>
                       (Waiting'.contend (queue, idle); Waiting'.addChoice (queue, w, wish, fuel)))
                  before Lock'.unlock lock
              end
        end
    in
      Event'.received
        {poll = poll, commit = commit, block = block, reason = variable, place = placeOf cell}
    end

  fun iGet cell = want (cell, GET, GET)
  fun iGetEvt cell = wantEvt (cell, GET, GET)
  fun iGetPoll cell = wantPoll (cell, GET)
  fun mGet cell = want (cell, GET, TAKE)
  fun mGetEvt cell = wantEvt (cell, GET, TAKE)
  fun mGetPoll cell = wantPoll (cell, GET)
  fun mTake cell = want (cell, TAKE, TAKE)
  fun mTakeEvt cell = wantEvt (cell, TAKE, TAKE)
  fun mTakePoll cell = wantPoll (cell, TAKE)
  fun mSwap (cell, x) = want (cell, SWAP x, TAKE)
  fun mSwapEvt (cell, x) = wantEvt (cell, SWAP x, TAKE)

  fun mModify (cell, f) =
    let
      val x = mTake cell
      fun back () = mPut (cell, x)
      val (new, result) =
        ThreadProps'.leaving (back, fn () => f x) handle e => (back (); raise e)
    in
      mPut (cell, new);
      result
    end
end
