(* Real.fromDecimal: the rounding mode applies to the number with its sign, and zeros in front of the digits only move the
   point, however many they are. *)
val modes =
  [IEEEReal.TO_NEAREST, IEEEReal.TO_NEGINF, IEEEReal.TO_POSINF, IEEEReal.TO_ZERO]
fun number (sign, digits, exp) = {class = IEEEReal.NORMAL, sign = sign, digits = digits, exp = exp}
(* whether it is what the text gives in that mode *)
fun isSame (mode, sign, text) =
  let
    val () = IEEEReal.setRoundingMode mode
    val a = valOf (Real.fromDecimal (number (sign, [1], 0)))
    val b = valOf (Real.fromString text)
    val c = valOf (Real32.fromDecimal (number (sign, [1], 0)))
    val d = valOf (Real32.fromString text)
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    Real.== (a, b) andalso Real32.== (c, d)
  end
val () =
  List.app
    (fn mode => print (Bool.toString (isSame (mode, false, "0.1") andalso isSame (mode, true, "~0.1")) ^ "\n"))
    modes

fun zeros n = List.tabulate (n, fn _ => 0)
fun show d = print (Real.toString (valOf (Real.fromDecimal d)) ^ "\n")
val () = show (number (false, zeros 200000 @ [2, 5], 200001))
val () = show (number (true, zeros 3 @ [2, 5], 3))
val () = show (number (true, zeros 5, 3))
val () = show (number (false, 0 :: [1], valOf Int.minInt))
val () = show (number (false, [1], valOf Int.maxInt))
