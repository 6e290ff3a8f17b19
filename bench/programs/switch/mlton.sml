(* C1's switch of MLton.Thread, which MLton has too: nanoseconds of processor time a switch, the best of three. *)

val rounds = 10000000

(* two of MLton's threads; both run the same loop *)
fun measureMLton () =
  let
    val other = ref (MLton.Thread.new (fn () => ()))
    fun swap t = let val next = !other in other := t; MLton.Thread.prepare (next, ()) end
    fun loop 0 = ()
      | loop n = (MLton.Thread.switch swap; loop (n - 1))
    val () = other := MLton.Thread.new (fn () => loop (2 * rounds))
    val () = loop 1000
    val timer = Timer.startCPUTimer ()
    val () = loop rounds
  in
    Time.toReal (#usr (Timer.checkCPUTimer timer)) * 1E9 / (2.0 * real rounds)
  end

val least = List.foldl Real.min Real.posInf (List.tabulate (3, fn _ => measureMLton ()))
val () = print ("mlton-thread " ^ Real.fmt (StringCvt.FIX (SOME 2)) least ^ "\n")
