(* Reals as text and back: shortest, with six places, and in scientific notation. *)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val fix = Real.fmt (StringCvt.FIX (SOME 6))
val exact = Real.fmt StringCvt.EXACT
val sci = Real.fmt (StringCvt.SCI (SOME 4))
fun next x = x * 16807 mod 2147483647

fun loop (0, _, same, digits, sum) = (same, digits, sum)
  | loop (n, x, same, digits, sum) =
      let
        val y = next x
        val r = real x / (1.0 + real (y mod 1000003))
        val isSame = Real.== (valOf (Real.fromString (exact r)), r)
        val short = fix r
      in
        loop (n - 1,
              y,
              if isSame then same + 1 else same,
              digits + size short + size (sci r),
              sum + valOf (Real.fromString short))
      end

val (same, digits, sum) = loop (n, 1, 0, 0, 0.0)
val () = print (concat [Int.toString same, " ", Int.toString digits, " ", sci sum, "\n"])
