(* StreamLock': one thread at a time in a stream. For the library.

   A call of a stream that finds what it needs in the stream's buffer takes a few instructions. It is an atomic
   section in which the stream's guard is the running worker's own (see Thread.Lock): this is the quick way, and no
   lock is written. Any other call may park in the midst (a write, a read), so it takes the lock. Threads that find
   the lock taken wait in a queue; the thread that gives the lock back hands it to the first of them, so nobody comes
   in between.

       FREE --take--> BY turn --release, nobody waits--> FREE
                       |   ^
                       +---+ release, the first that waits has its turn

   What the quick way looks at is one word, `quick`: how far it may go in the buffer. While the lock is taken, the
   word says `shut`, with which the quick way does nothing, and the true word is kept in `kept`. So the quick way
   needs no test of its own for the lock.

   A turn may end without a release: a reader or a writer of the program's own calls CML.exit, or leaves by a
   continuation; a signal's handler may stop a thread wherever it is. Therefore a thread that waits leaves word with
   the thread that has the lock (`ThreadProps'.watch`), and has its turn when that one ends or is stopped. And a
   thread that has the lock may take it again: then its older turn is over. *)

structure StreamLock' =
struct
  (* which thread; each time another one. The cell says whether somebody has left word with the thread. *)
  type turn = {thread : Thread.thread, isWatched : bool ref}
  datatype holder = FREE | BY of turn

  type lock =
    {guard : Lock'.lock,
     holder : holder ref,
     waiting : (turn * bool ref) Queue'.queue,
     quick : int ref,
     kept : int ref,
     shut : int,
     name : string}

  (* `shut`: what the quick way sees when it has nothing to do there. The name is for reports. *)
  fun new (quick, shut, name) : lock =
    {guard = Lock'.new (),
     holder = ref FREE,
     waiting = Queue'.new (),
     quick = ref quick,
     kept = ref quick,
     shut = shut,
     name = name}

  (* In an atomic section: the quick way may be taken, when the word allows it. *)
  fun isQuick ({guard, ...} : lock) = Lock'.isOwn guard

  (* the true word; the guard is taken *)
  fun word ({quick, kept, shut, ...} : lock) = if !quick = shut then !kept else !quick

  (* reason of a thread dump *)
  val stream = ParkReason'.stream

  (* Gives the lock to the first that waits. The guard is taken; gives whom to wake. *)
  fun pass (lock as {holder, waiting, quick, kept, ...} : lock) =
    case Queue'.take waiting of
      NONE => (holder := FREE; quick := !kept; NONE)
    | found as SOME (turn, _) =>
        if ThreadProps'.isOver (#thread turn) then pass lock else (holder := BY turn; found)

  fun isTurn ({isWatched = a, ...} : turn, {isWatched = b, ...} : turn) = a = b

  (* Ends a turn, if it is not over. *)
  fun leave (lock as {guard, holder, waiting, ...} : lock, turn) =
    (Lock'.take guard;
     case !holder of
       BY now =>
         if isTurn (now, turn) then
           case pass lock of
             NONE => Lock'.release guard
           | SOME (next, isGranted) =>
               let
                 val others = not (Queue'.isEmpty waiting)
               in
                 if others then #isWatched next := true else ();
                 isGranted := true;
                 (* All within the section: at its end this thread may be stopped for good. *)
                 Thread.ready (#thread next);
                 Lock'.unlock guard;
                 if others then watch (lock, next) else ();
                 Thread.atomicEnd ()
               end
         else Lock'.release guard
     | FREE => Lock'.release guard)
  (* It may be over with that thread already, or with the turn: then no word is left behind. *)
  and watch (lock as {guard, holder, ...}, turn as {thread, isWatched}) =
    let
      val () = ThreadProps'.watch (thread, isWatched, fn () => leave (lock, turn))
      val () = Lock'.take guard
      val isStill =
        case !holder of
          BY now => isTurn (now, turn)
        | FREE => false
    in
      Lock'.release guard;
      if not isStill then ThreadProps'.unwatch (thread, isWatched)
      else if ThreadProps'.isOver thread then leave (lock, turn)
      else ()
    end

  fun release (lock, turn as {thread, isWatched} : turn) =
    (leave (lock, turn);
     if !isWatched then ThreadProps'.unwatch (thread, isWatched) else ())

  (* A wake-up that comes before the park is not lost: the park returns at once. *)
  fun await isGranted =
    (Thread.park stream;
     if !isGranted then () else await isGranted)

  (* Likewise, of a thread in a scope: false when the wait was cancelled. Who gives the lock knows nothing of that. *)
  fun awaitInScope (self, name, isGranted) =
    let
      val () = Thread.atomicBegin ()
      val {waiting, ...} = Transaction'.aloneInScope isGranted
      val () = Thread.atomicEnd ()
      val () = Transaction'.waitsForStream (self, name)
      fun go () =
        if !isGranted orelse not (Transaction'.isOpen ()) then () else (Thread.park stream; go ())
    in
      go ();
      ends (self, waiting)
    end
  (* From here on nobody cancels it any more: false if somebody has. One that has claimed it just now will commit that, so
     no new wait may begin before. *)
  and ends (self, waiting) =
    Transaction'.casStamp (self, waiting, Transaction'.only waiting)
    orelse (Transaction'.isOpen () andalso (Lock'.pause (); ends (self, waiting)))

  (* The wait for the lock was cancelled: the thread leaves the queue; false if it has got the lock meanwhile. *)
  fun giveUp ({guard, holder, waiting = {front, back}, ...} : lock, turn : turn) =
    let
      fun isOther (other, _) = not (isTurn (other, turn))
      val () = Lock'.take guard
      val has =
        case !holder of
          BY now => isTurn (now, turn)
        | FREE => false
    in
      if has then ()
      else (front := List.filter isOther (!front); back := List.filter isOther (!back));
      Lock'.release guard;
      not has
    end

  (* Whether the lock can be had now. The guard is taken. *)
  fun begin ({holder, quick, kept, shut, ...} : lock, turn as {thread, ...} : turn) =
    case !holder of
      FREE => (kept := !quick; quick := shut; holder := BY turn; true)
    | BY {thread = other, ...} =>
        if other = thread orelse ThreadProps'.isOver other then (holder := BY turn; true) else false

  (* The lock is had. The guard is taken, and given back. Threads may wait already, when an older turn has no end of
     its own. *)
  fun enter (lock as {guard, waiting, ...} : lock, turn as {isWatched, ...} : turn) =
    if Queue'.isEmpty waiting then Lock'.release guard
    else (isWatched := true; Lock'.unlock guard; watch (lock, turn); Thread.atomicEnd ())

  fun newTurn () : turn = {thread = Thread.self (), isWatched = ref false}

  (* A call that is alone in the stream, but needs nothing of it besides what the quick way may look at, takes the lock
     and gives it back by the quick way, each time in an atomic section of its own; both say whether they did it. Where
     the word does not say `shut`, the lock is free, and nobody waits for it. *)
  fun takeQuickly ({guard, holder, quick, kept, shut, ...} : lock, by) =
    !quick <> shut
    andalso Lock'.isOwn guard
    andalso (kept := !quick; quick := shut; holder := by; true)

  (* If nobody waits, and the turn is not over. *)
  fun releaseQuickly ({guard, holder, quick, kept, ...} : lock, turn as {isWatched, ...} : turn) =
    Lock'.isOwn guard
    andalso (case !holder of
               BY now => isTurn (now, turn)
             | FREE => false)
    andalso not (!isWatched)
    andalso (holder := FREE; quick := !kept; true)

  (* Waits for the lock. *)
  fun take (lock as {guard, holder, waiting, name, ...} : lock) =
    let
      val turn as {thread = self, ...} = newTurn ()
    in
      Lock'.take guard;
      if begin (lock, turn) then enter (lock, turn)
      else
        let
          val isGranted = ref false
          val () = Queue'.add (waiting, (turn, isGranted))
          val first =
            case !holder of
              BY (now as {isWatched, ...}) =>
                if !isWatched then NONE else (isWatched := true; SOME now)
            | FREE => NONE
        in
          Lock'.unlock guard;
          Option.app (fn now => watch (lock, now)) first;
          Thread.atomicEnd ();
          Transaction'.waitsForStream (self, name);
          if not (Transaction'.inScope ()) then await isGranted
          else if awaitInScope (self, name, isGranted) then ()
          else if giveUp (lock, turn) then (Transaction'.forget (); Member'.raiseCancelled ())
          (* it has it; its next wait is cancelled *)
          else if !isGranted
          then ()
          else await isGranted;
          Transaction'.forget ()
        end;
      turn
    end

  (* The lock, if it can be had without waiting. *)
  fun attempt (lock as {guard, ...} : lock) =
    let
      val turn = newTurn ()
    in
      Lock'.take guard;
      if begin (lock, turn) then (enter (lock, turn); SOME turn) else (Lock'.release guard; NONE)
    end

  (* f in the guard, if the turn is not over; whether it was not *)
  fun ifStill ({guard, holder, ...} : lock, turn) f =
    let
      val () = Lock'.take guard
      val still =
        case !holder of
          BY now => isTurn (now, turn)
        | FREE => false
    in
      if still then f () else ();
      Lock'.release guard;
      still
    end

  fun within (lock, turn, f) =
    let
      val x = f () handle e => (release (lock, turn); raise e)
    in
      release (lock, turn);
      x
    end

  (* f alone in the stream *)
  fun alone lock f = within (lock, take lock, f)
  (* the same at once, or what there is instead *)
  fun atOnce (lock, otherwise) f =
    case attempt lock of
      SOME turn => within (lock, turn, f)
    | NONE => otherwise

  (* a lock without a quick way *)
  fun plain name = new (0, 0, name)
  (* A cell by which threads are ordered, before there is a lock. They stand here because --race knows of this file
     that it orders threads. *)
  fun look cell = !cell
  fun swap (cell, old, new) = PrimRefs'.ref_cas (cell, old, new)
  (* One that another thread has, and the turn that it gives back. *)
  fun plainOf (name, thread) =
    let
      val lock as {holder, ...} = plain name
      val turn = {thread = thread, isWatched = ref false}
    in
      holder := BY turn;
      (lock, turn)
    end
end
