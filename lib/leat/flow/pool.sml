(* Pool: things that are costly to make (connections, say), of which there are only so many, for threads that need one for a
   while. *)

signature POOL =
sig
  type 'a pool
  (* The pool's function has returned. *)
  exception Closed

  type 'a settings =
    {(* how many there are at most, those that are out included *)
     size : int,
     (* Makes one, when none is idle. It may wait, and be cancelled. The pool knows of its result alone: when it raises
        an exception, it ends first what it has begun, such as a connection that is open already. *)
     make : unit -> 'a,
     (* The end of one; its exceptions are ignored. It is not cancelled. *)
     close : 'a -> unit,
     (* Whether one that was idle can still be used; else, and if this raises an exception, it is closed. *)
     check : 'a -> bool,
     (* for how long one may be idle: then it is closed *)
     idle : Time.time}

  (* The result of a function with a new pool. When it has returned, or raised an exception, those that are idle are
     closed, and each of the others when it comes back; nobody gets one any more. Raises Size for a size below 1. *)
  val run : 'a settings -> ('a pool -> 'b) -> 'b

  (* Gets one: the one that was idle for the shortest time, or a new one. Waits until one may be made or comes back, for
     those that came before. Raises Closed, and what `make` raises. *)
  val take : 'a pool -> 'a
  (* Happens when one may be had; what is then done to get it (check, make) is no part of the choice. If another event
     happens, or the wait is cancelled, none was taken. *)
  val takeEvt : 'a pool -> 'a CML.event
  (* One that was taken comes back, for others to use. *)
  val give : 'a pool * 'a -> unit
  (* One that was taken is closed: it is broken. Another one may be made. *)
  val drop : 'a pool * 'a -> unit
  (* The result of a function with one of them. It comes back when the function has returned; when it has raised an
     exception, was cancelled, or has said CML.exit, it is closed: who knows what state it is in. *)
  val use : 'a pool -> ('a -> 'b) -> 'b

  (* How many are idle, and how many are out. One that is being closed is out until that is done. *)
  val count : 'a pool -> {idle : int, out : int}
end

structure Pool :> POOL =
struct
  exception Closed

  type 'a settings =
    {size : int, make : unit -> 'a, close : 'a -> unit, check : 'a -> bool, idle : Time.time}

  (* `resting`: with the time at which it came back, the youngest first; NONE when the pool is closed. *)
  type 'a pool =
    {settings : 'a settings,
     permits : Semaphore.semaphore,
     resting : ('a * Time.time) list option SyncVar.mvar,
     closed : unit SyncVar.ivar}

  (* The wait for another thread's change is short, and is not cancelled: nothing is lost by it. *)
  fun change ({resting, ...} : 'a pool, f) =
    Scope.shield (fn () => SyncVar.mModify (resting, f))

  (* on the program's own clock: the time of the day may be set meanwhile *)
  fun now () = Timer.checkRealTimer (Timer.totalRealTimer ())

  fun close ({settings = {close, ...}, ...} : 'a pool, x) =
    Scope.shield (fn () => close x handle _ => ())

  fun drop (pool as {permits, ...} : 'a pool, x) =
    Scope.finally (fn () => close (pool, x), fn () => Semaphore.release permits)

  fun give (pool as {permits, ...} : 'a pool, x) =
    let
      val here = now ()
      val isTaken =
        change (pool,
                fn SOME resting => (SOME ((x, here) :: resting), true)
                 | NONE => (NONE, false))
    in
      if isTaken then Semaphore.release permits else drop (pool, x)
    end

  (* What rests longer than it may is not given out, also before the sweeper has come by. *)
  fun obtain (pool as {settings = {make, check, idle, ...}, permits, ...} : 'a pool) =
    let
      (* what is looked at *)
      val checked = ref NONE
      fun first () =
        change (pool,
                fn SOME ((x, since) :: rest) => (SOME rest, SOME (x, since))
                 | resting as SOME [] => (resting, NONE)
                 | NONE => raise Closed)
      fun isGood (x, since) = Time.<= (Time.- (now (), since), idle) andalso check x
      fun go () =
        case first () of
          NONE => make ()
        | SOME (x, since) =>
            (checked := SOME x;
             if isGood (x, since)
                handle Scope.Cancelled => raise Scope.Cancelled
                     | _ => false
             then x
             else (checked := NONE; close (pool, x); go ()))
      val isOut = ref false
      fun all () = go () before isOut := true
      (* `make` or `check` may also say CML.exit. *)
      fun over () =
        if !isOut then ()
        else (Option.app (fn x => close (pool, x)) (!checked); Semaphore.release permits)
    in
      Scope.finally (all, over)
    end

  (* What came when the scope was cancelled goes back: while others had the processor, the time of a `Scope.within` may have
     been over for so long that nobody would get it. *)
  fun taken pool =
    let
      val x = obtain pool
    in
      Scope.check () handle e => (give (pool, x); raise e);
      x
    end
  fun takeEvt (pool as {permits, closed, ...} : 'a pool) =
    CML.choose [CML.wrap (Semaphore.acquireEvt permits, fn () => taken pool),
                CML.wrap (SyncVar.iGetEvt closed, fn () => raise Closed)]
  fun take pool = CML.sync (takeEvt pool)

  fun use pool f =
    let
      val x = take pool
      val hasReturned = ref false
      fun call () = let val y = f x in hasReturned := true; y end
    in
      Scope.finally (call, fn () => if !hasReturned then give (pool, x) else drop (pool, x))
    end

  fun count ({settings = {size, ...}, permits, resting, ...} : 'a pool) =
    {idle = case SyncVar.mGet resting of SOME l => List.length l | NONE => 0,
     out = size - Semaphore.free permits}

  (* Closes those that have been idle for too long. Each is out meanwhile, as one that is dropped: until it is closed no
     other one is made for it. Where no permit is free nobody is idle, or somebody waits who will look at it. *)
  fun sweep (pool as {settings = {idle, ...}, permits, resting, ...} : 'a pool) =
    let
      val here = now ()
      fun isYoung (_, since) = Time.<= (Time.- (here, since), idle)
      fun isAnyOld () =
        not (List.all isYoung (Option.getOpt (SyncVar.mGet resting, [])))
      (* those before it, the last one first *)
      fun firstOld (_, []) = NONE
        | firstOld (young, entry :: rest) =
            if isYoung entry then firstOld (entry :: young, rest)
            else SOME (#1 entry, List.revAppend (young, rest))
      fun old () =
        change (pool,
                fn resting =>
                  case Option.mapPartial (fn entries => firstOld ([], entries)) resting of
                    SOME (x, others) => (SOME others, SOME x)
                  | NONE => (resting, NONE))
    in
      if isAnyOld () andalso Semaphore.tryAcquire permits then
        case old () of
          SOME x => (drop (pool, x); sweep pool)
        | NONE => Semaphore.release permits
      else ()
    end

  fun run (settings as {size, idle, ...}) f =
    let
      val closed = SyncVar.iVar ()
      val pool =
        {settings = settings,
         permits = Semaphore.semaphore size,
         resting = SyncVar.mVarInit (SOME []),
         closed = closed}
      val pause = Time.fromReal (Real.max (Time.toReal idle / 2.0, 0.001))
      fun sweeping () = (OS.Process.sleep pause; sweep pool; sweeping ())
      fun finish () =
        let
          val left = change (pool, fn resting => (NONE, Option.getOpt (resting, [])))
        in
          SyncVar.iPut (closed, ());
          List.app (fn (x, _) => close (pool, x)) left
        end
    in
      Scope.finally (fn () => Scope.run (fn scope => (Scope.daemon scope sweeping; f pool)), finish)
    end
end
