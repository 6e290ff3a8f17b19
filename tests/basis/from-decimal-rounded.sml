(* Real.fromDecimal rounds to the nearest number, whatever mode is set, so what toDecimal gives is read as the same number;
   and zeros in front of the digits only move the point, however many they are. *)
val modes =
  [IEEEReal.TO_NEAREST, IEEEReal.TO_NEGINF, IEEEReal.TO_POSINF, IEEEReal.TO_ZERO]
fun number (sign, digits, exp) = {class = IEEEReal.NORMAL, sign = sign, digits = digits, exp = exp}
fun isSame x = Real.== (valOf (Real.fromDecimal (Real.toDecimal x)), x)
fun isSame32 x = Real32.== (valOf (Real32.fromDecimal (Real32.toDecimal x)), x)
val reals = [0.1, ~0.1, 1.0 / 3.0, ~2.0 / 3.0, 1E23, 5E~324, ~2.2250738585072014E~308, Real.maxFinite, 123456.789]
val singles = List.map (Real32.fromLarge IEEEReal.TO_NEAREST) (List.take (reals, 4)) @ [Real32.minPos, Real32.maxFinite]
fun check mode =
  let
    val () = IEEEReal.setRoundingMode mode
    val result = List.all isSame reals andalso List.all isSame32 singles
    val isKept = IEEEReal.getRoundingMode () = mode
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    print (Bool.toString result ^ " " ^ Bool.toString isKept ^ "\n")
  end
val () = List.app check modes

fun zeros n = List.tabulate (n, fn _ => 0)
fun show d = print (Real.toString (valOf (Real.fromDecimal d)) ^ "\n")
val () = show (number (false, zeros 200000 @ [2, 5], 200001))
val () = show (number (true, zeros 3 @ [2, 5], 3))
val () = show (number (true, zeros 5, 3))
val () = show (number (false, 0 :: [1], valOf Int.minInt))
val () = show (number (false, [1], valOf Int.maxInt))
