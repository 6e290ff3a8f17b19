(* Real32: an integer becomes the nearest real of 32 bits (IEEE 754, and the Basis). It was rounded to 64 bits first, and that
   to 32: 1152921504606846976. *)
val i = 1152921504606846976 + 68719476736 + 1
val () =
  print (String.concatWith " "
           [IntInf.toString (Real32.toLargeInt IEEEReal.TO_NEAREST (Real32.fromInt i)),
            IntInf.toString (Real32.toLargeInt IEEEReal.TO_NEAREST (Real32.fromLargeInt (IntInf.fromInt i)))] ^ "\n")
