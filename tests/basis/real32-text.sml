(* A text is rounded once to a real of 32 bits: this one is a little above the middle between two, and by way of 64 bits on it.
   And the shortest digits do not depend on the mode that is set. *)

val s = "1.00000005960464477540"
val exact = Real32.fmt StringCvt.EXACT
val () = print (exact (valOf (Real32.fromString s)) ^ "\n")
val () = print (exact (#1 (valOf (Real32.scan Substring.getc (Substring.full s)))) ^ "\n")
val () = print (exact (valOf (Real32.fromDecimal (valOf (IEEEReal.fromString s)))) ^ "\n")

val x = valOf (Real32.fromString "0.1")
val () = IEEEReal.setRoundingMode IEEEReal.TO_NEGINF
val text = exact x
val () = IEEEReal.setRoundingMode IEEEReal.TO_NEAREST
val () = print (text ^ "\n")
