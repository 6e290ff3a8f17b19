(* Real.fromString rounds by the mode that is set; it had rounded to the nearest, since the C library asks another
   register. *)
fun show (name, mode) =
  let
    val () = IEEEReal.setRoundingMode mode
    val x = valOf (Real.fromString "0.1")
    val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
  in
    print (name ^ " " ^ Real.fmt (StringCvt.GEN (SOME 17)) x ^ "\n")
  end
val () =
  app show
    [("TO_NEAREST", IEEEReal.TO_NEAREST), ("TO_NEGINF", IEEEReal.TO_NEGINF), ("TO_POSINF", IEEEReal.TO_POSINF),
     ("TO_ZERO", IEEEReal.TO_ZERO)]
