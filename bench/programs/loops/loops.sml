(* A1: counting down and up by tail recursion, 100,000,000 steps. Prints the best of five in nanoseconds. *)

fun best (name, f) =
  let
    fun go (0, least) = least
      | go (n, least) =
          let
            val timer = Timer.startRealTimer ()
            val _ = f ()
          in
            go (n - 1, Int.min (least, LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer timer))))
          end
  in
    print (name ^ " " ^ Int.toString (go (5, valOf Int.maxInt)) ^ "\n")
  end

(* the count comes from outside, so that nobody knows it while compiling *)
val count =
  case CommandLine.arguments () of
    [n] => valOf (Int.fromString n)
  | _ => 100000000

fun countdown () =
  let
    fun loop 0 = 0
      | loop n = loop (n - 1)
  in
    loop count
  end

fun countup () =
  let
    fun loop n = if n = count then 0 else loop (n + 1)
  in
    loop 0
  end

val () = best ("countdown", countdown)
val () = best ("countup", countup)
