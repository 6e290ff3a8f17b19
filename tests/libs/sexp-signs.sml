(* A number has one sign; and an escape of what is no character is a syntax error like others. *)
fun kind v =
  case v of
    SExp.INT n => "int " ^ IntInf.toString n
  | SExp.FLOAT r => "real " ^ Real.toString r
  | SExp.SYMBOL a => "symbol " ^ Atom.toString a
  | SExp.STRING s => "string " ^ String.toString s
  | _ => "other"
val () =
  List.app (fn v => print (kind v ^ "\n")) (SExpParser.parseString "5 +5 -5 +-5 -+5 ++5 --5 1.5 +1.5 -1.5 +-1.5 + -")
fun try text =
  print (String.concatWith ", " (List.map kind (SExpParser.parseString text)) ^ "\n")
  handle Fail message => print (message ^ "\n")
val () = List.app try ["\"\\x10FFFF;\"", "a\n\"\\x110000;\"", "\"\\xFFFFFFFFFFFFFFFFF;\"", "\"\\x;\"", "\"\\x41\""]
