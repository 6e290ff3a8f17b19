val exponent = ref 0
val half = Math.frexp (6.0, exponent)
val () = print (Real.toString half ^ " " ^ Int.toString (!exponent) ^ " " ^ Real.toString (Math.hypot (3.0, 4.0)) ^ "\n")
val () = print (Real.fmt (StringCvt.FIX (SOME 6)) (Math.sin (Math.M_PI / 6.0)) ^ "\n")
