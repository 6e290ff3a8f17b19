(* As the manual says, an integer in hexadecimal has the prefix 0x, behind its sign. It was read as a symbol; and a
   string with a backslash at the end of a line, as in Scheme, was a syntax error. In the order, booleans come last. *)
fun kind v =
  case v of
    SExp.INT n => "int " ^ IntInf.toString n
  | SExp.SYMBOL a => "symbol " ^ Atom.toString a
  | SExp.STRING s => "string " ^ String.toString s
  | _ => "other"
fun try text =
  print (String.concatWith ", " (List.map kind (SExpParser.parseString text)) ^ "\n")
  handle Fail message => print (message ^ "\n")
val () = try "0xff -0xff +0xFF 0x0 -0x0 0xFFFFFFFFFFFFFFFFFF"
(* not these *)
val () = try "0x -0x 0xfg 0x1.5 0x-ff --0xff 0X1F 0x0x1 -0x~1"
val () = try "\"a\\\nb\" \"a\\ \t\n \t b\" \"a\\\r\nb\" \"\\\n\""
val () = try "\"a\\\n\\\nb\"\n\"\\ b\""
val () =
  print (SExpPrinter.toString (SExp.LIST (ListMergeSort.sort (fn (a, b) => SExp.compare (a, b) = GREATER)
           (SExpParser.parseString "#f (1) #t 'a \"text\" 1.5 2 b"))) ^ "\n")
