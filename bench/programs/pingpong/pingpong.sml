(* A8: a message to a thread and one back, over two channels. Prints nanoseconds a round trip. *)

open CML

val rounds = 1000000

fun measure () =
  let
    val there = channel ()
    val back = channel ()
    fun partner () = (send (back, recv there + 1); partner ())
    val _ = spawn partner
    fun loop (0, x) = x
      | loop (n, x) = (send (there, x); loop (n - 1, recv back))
    val _ = loop (1000, 0)
    val timer = Timer.startRealTimer ()
    val sum = loop (rounds, 0)
    val took = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer timer))
  in
    if sum = rounds then took else raise Fail "a message was lost"
  end

val best = List.foldl Int.min (valOf Int.maxInt) (List.tabulate (5, fn _ => measure ()))
val () = print ("pingpong " ^ Real.fmt (StringCvt.FIX (SOME 2)) (real best / real rounds) ^ "\n")
