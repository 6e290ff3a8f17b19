(* A functional stream that was closed, or whose reader was taken, is at its end behind what was read, for ever; each
   second `input` gave the last chunk again. *)
structure S = TextIO.StreamIO
fun say (name, text) = print (name ^ ": [" ^ text ^ "]\n")
fun take name f = let val (v, f) = S.input f in say (name, v); f end

val f = S.mkInstream (TextPrimIO.openVector "abc", "")
val f = take "read" f
val () = S.closeIn f
val f = take "closed, 1st" f
val f = take "closed, 2nd" f
val f = take "closed, 3rd" f

(* the same by getReader, and seen through TextIO *)
val s = TextIO.mkInstream (S.mkInstream (TextPrimIO.openVector "def", ""))
val () = say ("TextIO read", TextIO.input s)
val _ = S.getReader (TextIO.getInstream s)
val () = say ("TextIO, 1st", TextIO.input s)
val () = say ("TextIO, 2nd", TextIO.input s)
val () = say ("TextIO inputAll", TextIO.inputAll s)
val () = say ("TextIO endOfStream", Bool.toString (TextIO.endOfStream s))
