(* Semaphore, RateLimit, SingleFlight, Retry and Pool: what they do; and that a wait that loses a choice or is cancelled,
   at a random moment, has taken nothing and leaves nothing behind. *)
open CML

fun say s = print (s ^ "\n")
val int = Int.toString
val ms = Time.fromMilliseconds
val us = Time.fromMicroseconds
val long = Time.fromSeconds 1000
fun name e = case e of Fail s => "Fail " ^ s | _ => exnName e
fun result f = f () handle e => say (name e)

(* -- semaphores *)

val s = Semaphore.semaphore 3
val () = (Semaphore.acquire s; Semaphore.acquire s; Semaphore.acquire s)
val () = say (Bool.toString (Semaphore.tryAcquire s) ^ " " ^ int (Semaphore.free s))
val () = select [Semaphore.acquireEvt s, wrap (alwaysEvt (), fn () => say "lost")]
val () = Semaphore.releaseMany (s, 3)
val () = result (fn () => Semaphore.release s)
val () = result (fn () => sync (Semaphore.acquireManyEvt (s, 4)))
val () = result (fn () => ignore (Semaphore.semaphore 0))
val () = result (fn () => Semaphore.withPermit s (fn () => raise Fail (int (Semaphore.free s) ^ " left")))
val () = say (int (Semaphore.free s) ^ " of " ^ int (Semaphore.size s))

(* In the order in which they came, also behind one who wants many; and when that one gives up, those behind it go on. *)
val order = Mailbox.mailbox () : string Mailbox.mbox
fun waits (scope, n, text) =
  ignore (Scope.fork scope (fn () =>
    (sync (Semaphore.acquireManyEvt (s, n)); Mailbox.send (order, text); Semaphore.releaseMany (s, n))))
(* until somebody waits *)
fun stands () = if Semaphore.tryAcquire s then (Semaphore.release s; yield (); stands ()) else ()
val () = (Semaphore.acquire s; Semaphore.acquire s)
val () =
  Scope.run (fn scope =>
    (waits (scope, 3, "all three");
     stands ();
     waits (scope, 1, "one");
     OS.Process.sleep (ms 1);
     Semaphore.releaseMany (s, 2)))
val () = say (Mailbox.recv order ^ ", " ^ Mailbox.recv order)
val () = (Semaphore.acquire s; Semaphore.acquire s)
val () =
  Scope.run (fn scope =>
    let
      val behind = SyncVar.iVar ()
      val first =
        Scope.fork scope (fn () =>
          select [wrap (Semaphore.acquireManyEvt (s, 3), fn () => say "too many"),
                  wrap (SyncVar.iGetEvt behind, fn () => say "gave up")])
    in
      stands ();
      waits (scope, 1, "behind it");
      OS.Process.sleep (ms 1);
      SyncVar.iPut (behind, ());
      sync first;
      say (Mailbox.recv order)
    end)
val () = Semaphore.releaseMany (s, 2)

(* -- rate limits *)

val l = RateLimit.limit {tokens = 1000, per = Time.fromSeconds 1, burst = 2}
val timer = Timer.startRealTimer ()
val () = List.app (fn _ => RateLimit.take l) (List.tabulate (7, fn _ => ()))
val () = say (Bool.toString (Time.>= (Timer.checkRealTimer timer, ms 5)))
val () = result (fn () => sync (RateLimit.takeManyEvt (l, 3)))
val () = result (fn () => ignore (RateLimit.limit {tokens = 0, per = ms 1, burst = 1}))
val slow = RateLimit.limit {tokens = 1, per = long, burst = 5}
val () = sync (RateLimit.takeManyEvt (slow, 4))
val () = say (Bool.toString (RateLimit.tryTakeMany (slow, 2)) ^ " " ^ int (RateLimit.available slow))
val () = say (Bool.toString (isSome (Scope.within (ms 1) (fn _ => sync (RateLimit.takeManyEvt (slow, 2))))))
val () = say (Bool.toString (RateLimit.tryTake slow) ^ " " ^ Bool.toString (RateLimit.tryTake slow))

(* -- single flights *)

val group = SingleFlight.group () : string SingleFlight.group
val calls = ref 0
val go = SyncVar.iVar ()
fun load () = (calls := !calls + 1; SyncVar.iGet go; "loaded")
val () =
  Scope.run (fn scope =>
    let
      val all = List.tabulate (5, fn _ => Scope.fork scope (fn () => SingleFlight.run (group, "a") load))
    in
      while SingleFlight.calls group = 0 do yield ();
      OS.Process.sleep (ms 20);
      SyncVar.iPut (go, ());
      say (String.concatWith " " (List.map sync all) ^ ", calls: " ^ int (!calls))
    end)
val () = result (fn () => ignore (SingleFlight.run (group, "b") (fn () => raise Fail "no")))
(* the last one who goes cancels it *)
val ended = Mailbox.mailbox () : string Mailbox.mbox
fun endless () = (OS.Process.sleep long; "never") handle e => (Mailbox.send (ended, name e); raise e)
val () =
  select [wrap (SingleFlight.runEvt (group, "c") endless, say), wrap (timeOutEvt (ms 1), fn () => say "gave up")]
val () = say (Mailbox.recv ended)
(* a choice that has something else begins nothing *)
val () = select [wrap (SingleFlight.runEvt (group, "d") endless, say), wrap (alwaysEvt (), fn () => say "at once")]
val () = say (int (SingleFlight.calls group))

(* -- retries *)

fun failing n =
  let
    val left = ref n
  in
    fn () => if !left = 0 then say "done" else (left := !left - 1; raise Fail ("left: " ^ int (!left)))
  end
open Retry
fun told {attempt, cause, wait} =
  say (concat [int attempt, " ", name cause, " ", Time.fmt 3 wait])
val quick = [First (ms 1), Jitter 0.0]
val () = result (fn () => run (OnFailure told :: quick) (failing 3))
val () = result (fn () => run (Attempts 2 :: quick) (failing 3))
val () = result (fn () => run (Attempts 1 :: quick) (failing 0))
val () = result (fn () => run (When (fn Fail s => s <> "left: 1" | _ => true) :: quick) (failing 3))
val () = result (fn () => run ([OnFailure told, Factor 10.0, Longest (ms 3)] @ quick) (failing 4))
val () = result (fn () => run [First (ms 50), Jitter 0.0, Within (ms 40)] (failing 1))
val () = result (fn () => run [Attempts 0] (failing 0))
val () = result (fn () => run [OnFailure (fn {wait, ...} =>
  say (Bool.toString (Time.>= (wait, us 500) andalso Time.<= (wait, us 1000)))), First (ms 1)] (failing 2))
val () = result (fn () => ignore (Scope.within (ms 1) (fn _ => run [First long] (failing 1))))
val () = select [runEvt quick (failing 1), wrap (timeOutEvt long, fn () => say "late")]
val () = result (fn () => select [runEvt [First long] (failing 1), wrap (timeOutEvt (ms 1), fn () => say "gave up")])

(* -- pools *)

val made = ref 0
val closed = Mailbox.mailbox () : int Mailbox.mbox
val bad = ref ~1
fun settings idle : int Pool.settings =
  {size = 2, make = fn () => (made := !made + 1; if !made = 99 then raise Fail "none" else !made),
   close = fn n => (Mailbox.send (closed, n); raise Fail "ignored"), check = fn n => n <> !bad, idle = idle}
fun counts pool = let val {idle, out} = Pool.count pool in say (concat ["idle ", int idle, ", out ", int out]) end
val kept = ref NONE : int Pool.pool option ref
val () =
  Pool.run (settings long) (fn pool =>
    (Pool.use pool (fn n => (say (int n); Pool.use pool (fn n => (say (int n); counts pool))));
     counts pool;
     let
       val a = Pool.take pool
       val b = Pool.take pool
     in
       say (int a ^ " " ^ int b);
       select [wrap (Pool.takeEvt pool, say o int), wrap (timeOutEvt (ms 1), fn () => say "none left")];
       Pool.give (pool, a);
       bad := a;
       result (fn () => Pool.use pool (fn n => raise Fail ("with " ^ int n)));
       say (concat ["closed ", int (Mailbox.recv closed), " ", int (Mailbox.recv closed)]);
       counts pool;
       made := 98;
       result (fn () => ignore (Pool.take pool));
       counts pool;
       kept := SOME pool;
       Pool.give (pool, b);
       Pool.use pool (fn _ => ());
       say (int (Pool.take pool))
     end))
val pool = valOf (!kept)
val () = result (fn () => ignore (Pool.take pool))
val () = counts pool
val () = (Pool.give (pool, 2); say ("closed " ^ int (Mailbox.recv closed)))
(* one that is being closed is out until it is closed *)
fun settle pool = if #out (Pool.count pool) = 0 then () else (OS.Process.sleep (ms 1); settle pool)
val () =
  Pool.run (settings (ms 2)) (fn pool =>
    (Pool.use pool (fn n => say (int n)); say ("closed " ^ int (Mailbox.recv closed)); settle pool; counts pool))

(* -- at random *)

val seed = ref 0w12345
fun random n =
  (seed := Word.andb (0w1103515245 * !seed + 0w12345, 0wx7FFFFFFF); Word.toInt (Word.>> (!seed, 0w8)) mod n)

(* Some rounds: threads that do this again and again, with waits of some length, until their scope is cancelled. *)
fun storm (rounds, threads, act) =
  List.app
    (fn _ =>
      ignore (Scope.within (us (LargeInt.fromInt (random 600))) (fn scope =>
        (List.app
           (fn i => ignore (Scope.fork scope (fn () => let fun loop () = (act i; yield (); loop ()) in loop () end)))
           (List.tabulate (threads, fn i => i));
         sync (timeOutEvt long)))))
    (List.tabulate (rounds, fn i => i))
fun shortly () = timeOutEvt (us (LargeInt.fromInt (random 200)))

val s = Semaphore.semaphore 4
val held = SyncVar.mVarInit 0
val most = ref 0
fun add n = Scope.shield (fn () =>
  let val all = SyncVar.mTake held + n in (if all > !most then most := all else (); SyncVar.mPut (held, all)) end)
fun permit i =
  let
    val n = if i mod 4 = 0 then 3 else 1
    val event = wrap (if n = 1 then Semaphore.acquireEvt s else Semaphore.acquireManyEvt (s, n), fn () => true)
    fun hold () =
      (add n; (OS.Process.sleep (us (LargeInt.fromInt (random 20))); add (~n)) handle e => (add (~n); raise e))
    fun held () = Scope.finally (hold, fn () => Semaphore.releaseMany (s, n))
  in
    case i mod 3 of
      0 => (sync event; held ())
    | 1 => if select [event, wrap (shortly (), fn () => false)] then held () else ()
    | _ => Semaphore.withPermit s (fn () => OS.Process.sleep (us 1))
  end
val () = storm (25, 9, permit)
val () = say (concat ["free ", int (Semaphore.free s), ", held ", int (SyncVar.mGet held), ", most ", Bool.toString (!most <= 4)])

(* No token comes meanwhile, so each is counted. *)
val bucket = RateLimit.limit {tokens = 1, per = long, burst = 60}
val taken = SyncVar.mVarInit 0
fun count n = Scope.shield (fn () => SyncVar.mPut (taken, SyncVar.mTake taken + n))
fun token i =
  let
    val n = 1 + i mod 3
    val event = wrap (RateLimit.takeManyEvt (bucket, n), fn () => count n)
  in
    if i mod 2 = 0 then sync event else select [event, shortly ()]
  end
val () = storm (12, 6, token)
val () = say ("tokens " ^ int (RateLimit.available bucket + SyncVar.mGet taken))

(* every flight ends, with its own result *)
val group = SingleFlight.group () : int SingleFlight.group
val wrong = ref 0
val flying = SyncVar.mVarInit 0
fun flights n = Scope.shield (fn () => SyncVar.mPut (flying, SyncVar.mTake flying + n))
fun flight i =
  let
    val key = i mod 3
    fun f () = (flights 1; Scope.finally (fn () => (OS.Process.sleep (us (LargeInt.fromInt (random 50))); key), fn () => flights ~1))
    val event = wrap (SingleFlight.runEvt (group, int key) f, fn k => if k = key then () else wrong := !wrong + 1)
  in
    if i mod 2 = 0 then sync event else select [event, shortly ()]
  end
val () = storm (25, 9, flight)
fun settle () = if SingleFlight.calls group = 0 andalso SyncVar.mGet flying = 0 then () else (OS.Process.sleep (ms 1); settle ())
val () = settle ()
val () = say (concat ["wrong results ", int (!wrong)])

(* all that were made are closed *)
val living = SyncVar.mVarInit 0
fun live n = Scope.shield (fn () => SyncVar.mPut (living, SyncVar.mTake living + n))
fun pooled pool i =
  let
    fun work x = if random 5 = 0 then raise Fail "broken" else OS.Process.sleep (us (LargeInt.fromInt (random 20)))
  in
    (case i mod 3 of
       0 => Pool.use pool work
     | 1 =>
         (case select [wrap (Pool.takeEvt pool, SOME), wrap (shortly (), fn () => NONE)] of
            SOME x => Scope.finally (fn () => work x, fn () => Pool.give (pool, x))
          | NONE => ())
     | _ => (case Pool.take pool of x => Pool.drop (pool, x)))
    handle Fail _ => ()
  end
val () =
  Pool.run
    {size = 3, make = fn () => (if random 9 = 0 then raise Fail "none" else (); OS.Process.sleep (us 1); live 1),
     close = fn () => live ~1, check = fn () => (if random 3 = 0 then OS.Process.sleep (us 1) else (); random 4 > 0),
     idle = us 300}
    (fn pool => (storm (25, 6, pooled pool); say (Bool.toString (#out (Pool.count pool) = 0))))
val () = say ("living " ^ int (SyncVar.mGet living))

fun attempts i =
  let
    val event = runEvt [First (us 10), Attempts 3, Longest (us 50)] (fn () => if random 2 = 0 then raise Fail "x" else OS.Process.sleep (us 5))
  in
    (if i mod 2 = 0 then sync event else select [event, shortly ()]) handle Fail _ => ()
  end
val () = storm (12, 6, attempts)

(* Nothing is left: the threads of the events that lost end by themselves. *)
fun settle 0 = say (concat ["threads ", int (Leat.Count.threads ()), ", timers ", int (Leat.Count.timers ())])
  | settle n =
      if Leat.Count.threads () <= 1 andalso Leat.Count.timers () = 0 then say "nothing is left"
      else (OS.Process.sleep (ms 2); settle (n - 1))
val () = settle 500

(* A bucket that fills in 2,700 years raised Overflow. *)
fun limited (tokens, per, burst) =
  say
    (int (RateLimit.available (RateLimit.limit {tokens = tokens, per = Time.fromSeconds per, burst = burst}))
     handle Size => "Size")
val () = List.app limited [(1, 86400, 1000000), (1, 86400, 36000), (1, 86400, valOf Int.maxInt), (1, 3155760000, 1), (1, 3155760001, 1)]
