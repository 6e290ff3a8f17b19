(* Real32.fromLarge rounds by its argument, whatever mode is set, optimised or not. *)
val text = Real.fmt (StringCvt.GEN (SOME 17))
fun near x = text (Real32.toLarge (Real32.fromLarge IEEEReal.TO_NEAREST x))
fun inMode mode f =
  let
    val () = IEEEReal.setRoundingMode mode
    val r = f ()
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    r
  end
val x = valOf (Real.fromString "0.3")
val () = app
  (fn m => print (inMode m (fn () => near x) ^ "\n"))
  [IEEEReal.TO_NEAREST, IEEEReal.TO_NEGINF, IEEEReal.TO_POSINF, IEEEReal.TO_ZERO]
fun both x =
  let
    val a = Real32.fromLarge IEEEReal.TO_NEAREST x
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEGINF
    val b = Real32.fromLarge IEEEReal.TO_NEAREST x
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    print (text (Real32.toLarge a) ^ " " ^ text (Real32.toLarge b) ^ "\n")
  end
val () = app both [x]
