(* Digits that an exponent makes up for count, however many there are. *)
fun zeros n = CharVector.tabulate (n, fn _ => #"0")
fun show s = Real.toString (valOf (Real.fromString s))
val () =
  print (concat [show (concat ["0.", zeros 800000, "1e800001"]), " ", show (concat ["1", zeros 800000, "e~800000"]), "\n"])
