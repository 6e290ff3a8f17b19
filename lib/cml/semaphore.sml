(* Semaphore: permits that threads take and give back. RateLimit: tokens that come by the clock.

   Both are a number that is free and a queue of threads, each with how much it wants (Permits'). Who wants more than is
   free waits, and those behind it, too: so nobody who wants much is passed over for ever.

   Keeps, whenever the lock is free:
   P1  The first thread that waits wants more than is free. Tokens come while the lock is free: then it does so again
       after the next look, and who comes meanwhile looks before it waits.
   P2  What was taken was taken by an event that has happened: taking and the commit are one step under the lock. *)

structure Permits' =
struct
  open Transaction'

  type permits =
    {(* tells how much there is now, under the lock: for a rate limit that depends on the clock *)
     free : unit -> int,
     (* takes so much of it; less than none gives back *)
     take : int -> unit,
     (* the same for the first thread that waits: it got that at the moment when there was so much *)
     takeWaited : int -> unit,
     lock : int ref,
     waiting : int Waiting'.queue,
     fuel : int ref,
     (* as of a channel: it rises whenever they could have been taken, and falls back when they are *)
     priority : int ref,
     (* in the atomic section and with the lock: a thread has begun to wait *)
     waits : unit -> unit}

  fun queue () = Waiting'.new () : int Waiting'.queue

  (* -- with the lock *)

  (* The threads at the front that want no more than there is. *)
  fun serve (p as {free, takeWaited, waiting as {front, ...}, ...} : permits) =
    if Waiting'.isWaiting waiting then
      case !front of
        Waiting'.ITEM {offer = n, ...} =>
          if n > free () then ()
          else
            (case Waiting'.take waiting of
               Waiting'.NOBODY => ()
             (* It may be the next one: who was first has gone meanwhile. *)
             | Waiting'.ITEM {thread, synched, waiting = since, offer = m, ...} =>
                 if m <= free () then
                   (takeWaited m;
                    setStamp (thread, synched);
                    Thread.ready thread;
                    serve p)
                 else putBack (p, {synched = synched, thread = thread, waiting = since}, m))
      | Waiting'.NOBODY => ()
    else ()

  (* It was claimed, or stands in no other queue. *)
  and putBack ({waiting = {front, ...}, ...} : permits, w as {synched, thread, waiting}, n) =
    (if isAlone (waiting, synched) then () else release w;
     front :=
       Waiting'.ITEM
         {next = !front, offer = n, synched = synched, thread = thread, waiting = waiting})

  fun isFree ({free, waiting, ...} : permits, n) =
    n <= free () andalso not (Waiting'.isWaiting waiting)

  (* The same after a look at those that wait. Not for a thread that waits already, which might be one of them. *)
  fun isFreeNow (p as {waiting, ...} : permits, n) =
    (if Waiting'.isWaiting waiting then serve p else ();
     isFree (p, n))

  (* -- operations *)

  fun give (p as {take, lock, ...} : permits, n) =
    (Lock'.take lock;
     take (~n);
     serve p;
     Lock'.release lock)

  fun attempt (p as {take, lock, ...} : permits, n) =
    let
      val () = Lock'.take lock
      val isSo = isFreeNow (p, n)
    in
      if isSo then take n else ();
      Lock'.release lock;
      isSo
    end

  (* Behind one who wants much, others may wait for little: when the former gives up they are to be looked at. *)
  fun gone (p as {lock, ...} : permits) () =
    (Lock'.take lock;
     serve p;
     Lock'.release lock)

  fun event (p as {take, lock, waiting, fuel, priority, waits, ...} : permits, n, place) =
    let
      fun look ages =
        let
          val now = !priority
        in
          if ages then priority := plus (now, 1) else ();
          plus (now, 2)
        end
      fun get () = (take n; priority := 1)
      fun poll ages =
        (Lock'.lock lock;
         (if isFreeNow (p, n) then look ages else 0) before Lock'.unlock lock)
      fun commit () =
        (Lock'.lock lock;
         (if isFree (p, n) then (get (); Event'.WON) else Event'.LOST) before Lock'.unlock lock)
      fun block w =
        (noinline ();
         Lock'.lock lock;
         (if isFree (p, n) then
            if seize w then (get (); Transaction'.commit w; Event'.MATCHED) else Event'.GONE
          else
            (ignore (Waiting'.addChoice (waiting, w, n, fuel));
             waits ();
             if n > 1 then Event'.CANCEL (gone p) else Event'.WAITS))
         before Lock'.unlock lock)
    in
      Event'.base ({poll = poll,
                    commit = commit,
                    block = block,
                    reason = ParkReason'.permit,
                    place = place},
                   forget)
    end
end

signature SEMAPHORE =
sig
  type semaphore

  (* More permits would be free than there are. *)
  exception Released

  (* Makes one with so many permits, all of which are free; raises Size for less than 1. *)
  val semaphore : int -> semaphore

  (* Takes a permit; waits until one is free and nobody waits before. *)
  val acquire : semaphore -> unit
  (* Happens when a permit has been taken. If another event of a choice happens, or the wait is cancelled, none was. *)
  val acquireEvt : semaphore -> unit CML.event
  (* The same for so many at once; raises Size for less than 1 or more than there are. Threads get theirs in the order in
     which they came, so one that wants many holds up those behind it. *)
  val acquireManyEvt : semaphore * int -> unit CML.event
  (* Takes a permit if one is free and nobody waits; says whether it did. *)
  val tryAcquire : semaphore -> bool
  (* Gives a permit back, by whatever thread. Raises Released. *)
  val release : semaphore -> unit
  (* Gives so many back. *)
  val releaseMany : semaphore * int -> unit

  (* The result of the function, which has a permit meanwhile: it is given back when it has returned, raised an
     exception, was cancelled, or has said CML.exit. *)
  val withPermit : semaphore -> (unit -> 'a) -> 'a

  (* How many permits are free now. *)
  val free : semaphore -> int
  (* how many there are *)
  val size : semaphore -> int
end

structure Semaphore :> SEMAPHORE =
struct
  type semaphore = {size : int, left : int ref, permits : Permits'.permits}

  exception Released

  fun semaphore size =
    if size < 1 then raise Size
    else
      let
        val left = Transaction'.cell size
        fun take n = left := !left - n
      in
        {size = size,
         left = left,
         permits =
           {free = fn () => !left,
            take = take,
            takeWaited = take,
            lock = Lock'.new (),
            waiting = Permits'.queue (),
            fuel = ref 16,
            priority = ref 1,
            waits = fn () => ()}}
      end

  fun acquireManyEvt ({size, left, permits} : semaphore, n) =
    if n < 1 orelse n > size then raise Size
    else Permits'.event (permits, n, Transaction'.placeOf left)
  fun acquireEvt s = acquireManyEvt (s, 1)
  fun acquire s = Event'.sync (acquireEvt s)
  fun tryAcquire ({permits, ...} : semaphore) = Permits'.attempt (permits, 1)

  fun releaseMany ({size, left, permits as {lock, take, ...}} : semaphore, n) =
    let
      val () = Lock'.take lock
      val isSo = n >= 0 andalso n <= size - !left
    in
      if isSo then (take (~n); Permits'.serve permits) else ();
      Lock'.release lock;
      if isSo then () else raise Released
    end
  fun release s = releaseMany (s, 1)

  fun withPermit s f =
    let
      val () = acquire s
      val key = ThreadProps'.toLeave (fn () => release s)
      fun over () = (ThreadProps'.forget key; release s)
      val x = f () handle e => (over (); raise e)
    in
      over ();
      x
    end

  fun free ({left, ...} : semaphore) = !left
  fun size ({size, ...} : semaphore) = size
end

signature RATE_LIMIT =
sig
  type limit

  (* A bucket that gets so many tokens in this time, evenly, and holds `burst` at most, with which it begins. However
     long it is used, it gets neither more nor fewer. Raises Size if one of them is less than 1, if so many tokens come
     in the time that there are several in a nanosecond, or if an empty bucket is full after more than 100 years. *)
  val limit : {tokens : int, per : Time.time, burst : int} -> limit

  (* Takes a token; waits until there is one and nobody waits before. *)
  val take : limit -> unit
  (* Happens when a token has been taken. If another event of a choice happens, or the wait is cancelled, none was. *)
  val takeEvt : limit -> unit CML.event
  (* The same for so many at once; raises Size for less than 1, or more than the bucket holds. *)
  val takeManyEvt : limit * int -> unit CML.event
  (* Takes a token if there is one and nobody waits; says whether it did. *)
  val tryTake : limit -> bool
  (* The same for so many at once. *)
  val tryTakeMany : limit * int -> bool
  (* How many tokens there are now. *)
  val available : limit -> int
end

structure RateLimit :> RATE_LIMIT =
struct
  open Transaction'

  (* `empty` is the moment at which the bucket was empty, of the monotonic clock: what came since then is in it, up to
     the burst. So nothing has to be done while time passes. While threads wait it is not full, however late the clock's
     thread wakes: each of them took its tokens as soon as they had come, and what came later is for the next one.

     Tokens need not come at whole nanoseconds: with three a second, one comes every 333,333,333 and a third. So a
     moment is exact: nanoseconds, and parts of one, of which it has as many as there are tokens. *)
  type moment = int * int

  (* how long the clock's thread sleeps at most: then it looks whether somebody still waits *)
  val longest = 50000000

  (* 100 years *)
  val longestToFill = 3155760000000000000

  type limit = {burst : int, empty : moment ref, permits : Permits'.permits}

  fun gcd (a, 0) = a
    | gcd (a, b) = gcd (b, a mod b)

  (* n * k + r, divided by d, and what remains. The sum may be too large for an int. Overflow if the result is. *)
  fun divided (n, k, r, d) =
    let
      val sum = n * k + r
    in
      (sum div d, sum mod d)
    end
    handle Overflow =>
        let
          val sum = IntInf.fromInt n * IntInf.fromInt k + IntInf.fromInt r
          val (whole, rest) = IntInf.divMod (sum, IntInf.fromInt d)
        in
          (IntInf.toInt whole, IntInf.toInt rest)
        end

  fun later ((a, p) : moment, (b, q)) = if a > b orelse a = b andalso p > q then (a, p) else (b, q)

  fun limit {tokens, per, burst} =
    let
      val per = TimePrim'.toNanos per
      val () = if tokens < 1 orelse burst < 1 orelse tokens > per then raise Size else ()
      val divisor = gcd (per, tokens)
      val (tokens, per) = (tokens div divisor, per div divisor)

      (* The moment that is so many tokens behind the other one, or before it. *)
      fun behind ((nanos, part), n) =
        let
          val (more, part) = divided (n, per, part, tokens)
        in
          (nanos + more, part)
        end
      (* How many tokens have come since then. *)
      fun since ((nanos, part), now) = #1 (divided (now - nanos, tokens, ~part, per))

      val () =
        if #1 (behind ((0, 0), burst)) > longestToFill handle Overflow => true then raise Size
        else ()
      val now = PrimClock'.time_monotonic
      (* A bucket that is full at a moment was empty then. *)
      fun emptyIfFull now = behind ((now, 0), ~burst)
      val empty = cell (emptyIfFull (now ()))
      (* whether a thread waits for the clock, on behalf of those that wait for tokens *)
      val isTicking = ref false
      val lock = Lock'.new ()
      val waiting = Permits'.queue ()

      fun free () =
        let
          val now = now ()
        in
          since (later (!empty, emptyIfFull now), now)
        end
      fun takeWaited n = empty := behind (!empty, n)
      fun take n = empty := behind (later (!empty, emptyIfFull (now ())), n)

      (* When the first one can be served: the first nanosecond that is not too early; NONE when nobody waits. With the
         lock. *)
      fun next () =
        if Waiting'.isWaiting waiting then
          case !(#front waiting) of
            Waiting'.ITEM {offer, ...} =>
              let
                val (nanos, part) = behind (!empty, offer)
              in
                SOME (if part > 0 then nanos + 1 else nanos)
              end
          | Waiting'.NOBODY => NONE
        else NONE

      (* If the first one gives up, the next one may want fewer: another reason why the sleep has a bound. *)
      fun tick permits () =
        let
          val () = Lock'.take lock
          val () = Permits'.serve permits
          val moment = next ()
        in
          if Option.isSome moment then () else isTicking := false;
          Lock'.release lock;
          case moment of
            SOME t =>
              (PrimTimers'.thread_sleep_until (Int.min (t, now () + longest));
               tick permits ())
          | NONE => ()
        end

      fun waits permits () =
        if !isTicking then ()
        else
          (isTicking := true;
           Thread.ready (Thread.new (fn () => (tick permits (); ThreadProps'.ends ()))))

      fun permits () =
        {free = free,
         take = take,
         takeWaited = takeWaited,
         lock = lock,
         waiting = waiting,
         fuel = ref 16,
         priority = ref 1,
         waits = fn () => waits (permits ()) ()}
    in
      {burst = burst, empty = empty, permits = permits ()} : limit
    end

  fun check ({burst, ...} : limit, n) = if n < 1 orelse n > burst then raise Size else ()
  fun takeManyEvt (l as {permits, empty, ...} : limit, n) =
    (check (l, n);
     Permits'.event (permits, n, placeOf empty))
  fun takeEvt l = takeManyEvt (l, 1)
  fun take l = Event'.sync (takeEvt l)
  fun tryTakeMany (l as {permits, ...} : limit, n) =
    (check (l, n);
     Permits'.attempt (permits, n))
  fun tryTake l = tryTakeMany (l, 1)
  fun available ({permits as {free, lock, ...}, ...} : limit) =
    (Lock'.take lock;
     Permits'.serve permits;
     free () before Lock'.release lock)
end
