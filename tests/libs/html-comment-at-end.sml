(* A document that ends with a comment has an end. *)
val () =
  case HTML4Parser.fromString "<html><body><p>Hello</p></body></html>\n<!-- generated -->" of
    SOME _ => print "parsed\n"
  | NONE => print "nothing\n"
