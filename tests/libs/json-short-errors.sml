(* What an error said of a text was as long as the text: half a million letters in place of `true`, a number of half a million
   points, and a member with such a name. A service sends it back, and a log keeps it. *)
fun long n = CharVector.tabulate (n, fn _ => #"a")
fun say codec text =
  (ignore (JSONCodec.fromString codec text); print "taken\n")
  handle e => print (JSONCodec.message e ^ "\n")
val () = say JSONCodec.bool (long 500000)
val () = say JSONCodec.int ("1." ^ CharVector.tabulate (500000, fn _ => #"."))
val () = say JSONCodec.bool ("t" ^ long 500000)
val () = say (JSONCodec.dictionary JSONCodec.bool) (concat ["{\"", long 500000, "\":1}"])
val () = say (JSONCodec.dictionary JSONCodec.bool) (concat ["{\" ", long 500000, "\":1}"])
val () = say (JSONCodec.dictionary JSONCodec.bool) (concat ["{\"", long 100, "\":1}"])
