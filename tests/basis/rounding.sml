(* Arithmetic around IEEEReal.setRoundingMode: the same operation on the same operands was shared by the compiler, or folded,
   so that a new mode changed nothing. *)
val show = Real.fmt (StringCvt.SCI (SOME 17))
fun third x = x / 3.0
fun both x =
  let
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEGINF
    val low = x / 3.0
    val () = IEEEReal.setRoundingMode IEEEReal.TO_POSINF
    val high = x / 3.0
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    (low, high)
  end
val (low, high) = both 1.0
val () = print (Bool.toString (low < high) ^ "\n")
val () = print (Bool.toString (Real.== (low, third 1.0) orelse Real.== (high, third 1.0)) ^ "\n")
fun constant mode = (IEEEReal.setRoundingMode mode; 1.0 / 3.0 before IEEEReal.setRoundingMode IEEEReal.TO_NEAREST)
val () = print (Bool.toString (constant IEEEReal.TO_NEGINF < constant IEEEReal.TO_POSINF) ^ "\n")
fun root mode = (IEEEReal.setRoundingMode mode; Math.sqrt 2.0 before IEEEReal.setRoundingMode IEEEReal.TO_NEAREST)
val () = print (Bool.toString (root IEEEReal.TO_ZERO < root IEEEReal.TO_POSINF) ^ "\n")
