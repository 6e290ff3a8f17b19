(* C1: two threads that switch to each other: by the primitive one-shot switch, by a yield; portable.sml and mlton.sml have the rest.
   Prints nanoseconds of processor time a switch. *)

val rounds = 10000000

fun measure () =
  let
    val parent = Thread.self ()
    (* the partner hands back for ever; when the test ends it is garbage *)
    val partner = Thread.new (fn () => let fun loop () = (Thread.handoff parent; loop ()) in loop () end)
    fun loop 0 = ()
      | loop n = (Thread.handoff partner; loop (n - 1))
    val () = loop 1000
    val timer = Timer.startCPUTimer ()
    val () = loop rounds
  in
    LargeInt.toInt (Time.toNanoseconds (#usr (Timer.checkCPUTimer timer)))
  end

fun tenths ns = Real.fmt (StringCvt.FIX (SOME 2)) (real ns / real (2 * rounds))

val () = print ("switch " ^ tenths (List.foldl Int.min (valOf Int.maxInt) (List.tabulate (3, fn _ => measure ()))) ^ "\n")

(* the same with a thread that yields to its only companion *)
fun measureYield () =
  let
    val stop = ref false
    val _ = Thread.spawn (fn () => let fun loop () = if !stop then () else (Thread.yield (); loop ()) in loop () end)
    fun loop 0 = ()
      | loop n = (Thread.yield (); loop (n - 1))
    val () = loop 1000
    val timer = Timer.startCPUTimer ()
    val () = loop rounds
    val took = LargeInt.toInt (Time.toNanoseconds (#usr (Timer.checkCPUTimer timer)))
  in
    stop := true;
    Thread.yield ();
    took
  end

val () = print ("yield " ^ tenths (List.foldl Int.min (valOf Int.maxInt) (List.tabulate (3, fn _ => measureYield ()))) ^ "\n")

(* A thread blocked under a deep recursion: the switch must not cost more for its depth. *)
fun deep (0, f) = (f (); 0)
  | deep (n, f) = 1 + deep (n - 1, f)

fun measureDeep depth =
  let
    val parent = Thread.self ()
    val partner =
      Thread.new (fn () => ignore (deep (depth, fn () => let fun loop () = (Thread.handoff parent; loop ()) in loop () end)))
    fun loop 0 = ()
      | loop n = (Thread.handoff partner; loop (n - 1))
    val () = loop 1000
    val timer = Timer.startCPUTimer ()
    val () = loop 1000000
  in
    Real.fmt (StringCvt.FIX (SOME 2)) (real (LargeInt.toInt (Time.toNanoseconds (#usr (Timer.checkCPUTimer timer)))) / 2000000.0)
  end

val () = print ("switch-depth-10 " ^ measureDeep 10 ^ "\n")
val () = print ("switch-depth-100000 " ^ measureDeep 100000 ^ "\n")
