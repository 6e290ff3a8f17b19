(* A real of 32 bits is rounded as the mode says that is set: results of two modes were taken for one. *)

fun show x =
  String.concat
    (map (fn byte => StringCvt.padLeft #"0" 2 (Word8.toString byte)) (Word8Vector.foldr op:: [] (PackReal32Big.toBytes x)))

fun bounds (x: Real32.real) =
  let
    val near = Real32.Math.exp x
    val () = IEEEReal.setRoundingMode IEEEReal.TO_POSINF
    val upper = Real32.Math.exp x
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEGINF
    val lower = Real32.Math.exp x
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    print (show near ^ " " ^ show upper ^ " " ^ show lower ^ "\n")
  end

val () = bounds (Real32./ (Real32.fromInt 1, Real32.fromInt 3))
