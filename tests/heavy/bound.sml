(* A thousand bound threads at once, each on an OS thread of its own, which its end gives back; pre-emption in the midst of
   computing, collections, and threads that nobody can wake any more. *)
open CML

fun say (what, ok) = print (what ^ (if ok then " ok\n" else " WRONG\n"))

(* OS threads of this process *)
fun osThreads () =
  let
    val status = TextIO.openIn "/proc/self/status"
    fun find () =
      case TextIO.inputLine status of
        NONE => 0
      | SOME line =>
          if String.isPrefix "Threads:" line then valOf (Int.fromString (String.extract (line, 8, NONE))) else find ()
  in
    find () before TextIO.closeIn status
  end
(* an OS thread that ends takes a moment for it *)
fun atMost (n, tries) =
  osThreads () <= n orelse tries > 0 andalso (sync (timeOutEvt (Time.fromMilliseconds 10)); atMost (n, tries - 1))

(* a ring, round which a number runs *)
val many = 1000
val first : int chan = channel ()
val (wrong, ended) = (channel () : int chan, channel () : unit chan)
fun pass (from, to) () =
  let
    val os = Thread.osThread ()
    fun go () =
      let val n = recv from
      in
        if Thread.osThread () = os then () else send (wrong, n);
        send (to, if n < 0 then n else n + 1);
        if n < 0 then () else go ()
      end
  in
    go ()
  end
fun ring (0, from) = from
  | ring (k, from) = let val to = channel () in Thread.ready (Thread.bound (pass (from, to))); ring (k - 1, to) end
val last = ring (many, first)
fun rounds (0, n) = n
  | rounds (k, n) = (send (first, n); rounds (k - 1, recv last))
val () = say ("ring", rounds (3, 0) = 3 * many)
val () = say ("an OS thread each", osThreads () > many)
val () = (send (first, ~1); say ("told to end", recv last = ~1))
val () = say ("they end", atMost (100, 1000))

(* computing ones are pre-empted, and go on where they were *)
fun compute (0, x) = x
  | compute (n, x) = compute (n - 1, (x * 3 + 1) mod 1000003)
val sums : (bool * int) chan = channel ()
fun work () =
  let
    val os = Thread.osThread ()
    fun go (0, same, x) = (same, x)
      | go (n, same, x) =
          let val x = compute (1000000, x) in go (n - 1, same andalso Thread.osThread () = os, x) end
  in
    send (sums, go (10, true, 1))
  end
val () = List.app (fn _ => Thread.ready (Thread.bound work)) (List.tabulate (4, fn n => n))
val results = List.tabulate (4, fn _ => recv sums)
val () = say ("computing", List.all (fn r => r = hd results andalso #1 r) results)
val () = say ("they end", atMost (100, 1000))

(* those that nobody can wake are garbage, and those that were never started; a few may still be on the stack *)
fun abandon 0 = ()
  | abandon n =
      let val c : int chan = channel ()
      in
        Thread.ready (Thread.bound (fn () => ignore (recv c)));
        ignore (Thread.bound (fn () => ()));
        abandon (n - 1)
      end
fun collect (n, tries) =
  (SMLofNJ.Internals.GC.doGC 10;
   atMost (n, 10) orelse tries > 0 andalso collect (n, tries - 1))
val () = (abandon 100; sync (timeOutEvt (Time.fromMilliseconds 1)))
val () = say ("garbage", collect (100, 50))

val () = say ("nobody saw another OS thread", not (isSome (recvPoll wrong)))
(* the program ends while some wait *)
val () = (abandon 10; Thread.yield ())
