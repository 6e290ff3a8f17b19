(* A word that only begins like a hexadecimal number is none. *)
fun show word =
  print (concat [word, " is ", SExpPrinter.toString (hd (SExpParser.parseString word)), "\n"])
  handle Fail message => print (message ^ "\n")
val () = List.app show ["#x12-34", "#xFF.5", "#x1g"]
