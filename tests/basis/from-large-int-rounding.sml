(* Real.fromLargeInt rounds by the mode that is set, of negative numbers too: these went the other way. *)
val i = ~ (IntInf.pow (2, 70) + 1)
fun show (name, mode) =
  let
    val () = IEEEReal.setRoundingMode mode
    val x = Real.fromLargeInt i
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    print (name ^ " " ^ IntInf.toString (Real.toLargeInt IEEEReal.TO_ZERO x) ^ "\n")
  end
val () = app show [("TO_NEGINF", IEEEReal.TO_NEGINF), ("TO_POSINF", IEEEReal.TO_POSINF)]
