(* A5: n threads, each asleep on a deadline of its own. Prints the mean nanoseconds of a spawn that goes to sleep, how
   many woke early, and how late the last one of a hundred woke (99th percentile), in microseconds. *)

val n =
  case CommandLine.arguments () of
    [n] => valOf (Int.fromString n)
  | _ => 100000

val clock = Timer.startRealTimer ()
fun now () = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer clock))

val lateness = Array.array (n, 0)
val woken = ref 0
val early = ref 0
val parent = Thread.self ()

(* all deadlines lie behind the last spawn *)
val first = now () + 500000000 + n * 2000

fun sleeper i () =
  let
    val deadline = first + i * 1000
  in
    Thread.sleep (Time.fromNanoseconds (LargeInt.fromInt (deadline - now ())));
    let val late = now () - deadline
    in
      if late < 0 then early := !early + 1 else ();
      Array.update (lateness, i, late)
    end;
    woken := !woken + 1;
    if !woken = n then Thread.ready parent else ()
  end

val start = now ()
val () =
  let fun go i = if i = n then () else (ignore (Thread.spawn (sleeper i)); go (i + 1))
  in go 0 end
val spawned = now () - start
val () = if !woken < n then Thread.park 1 else ()

fun percentile p =
  let
    fun insert (x, []) = [x]
      | insert (x, y :: rest) = if x > y then x :: y :: rest else y :: insert (x, rest)
    (* the largest hundredth, largest first *)
    val keep = Int.max (1, n div 100)
    val above = ref 0
    fun count limit = Array.foldl (fn (x, k) => if x > limit then k + 1 else k) 0 lateness
    fun search (low, high) =
      if high - low <= 1000 then high
      else
        let val middle = (low + high) div 2
        in if count middle > keep then search (middle, high) else search (low, middle) end
  in
    search (0, Array.foldl Int.max 0 lateness + 1)
  end

val () = print ("timer-spawn " ^ Int.toString (spawned div n) ^ "\n")
val () = print ("timer-early " ^ Int.toString (!early) ^ "\n")
val () = print ("timer-late-p99-us " ^ Int.toString (percentile 99 div 1000) ^ "\n")
