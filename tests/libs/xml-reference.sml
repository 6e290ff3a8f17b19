(* parseFile "raises ParseError for what is not well-formed".

   expected: ParseError four times
   found:    raised Overflow, parsed, parsed, parsed
   lib/smlnj-lib/XML/xml-parser.sml, `reference`: scanString of Word.scan passes over what follows the digits, takes 0w and blanks in
   front, and raises Overflow. (The same in lib/smlnj-lib/HTML/html-parser.sml, `number`: START="99999999999999999999" raised
   Overflow where badAttrVal is to be told.) *)
structure Schema =
struct
  type element = string
  type attribute = string * string
  fun element s = SOME s
  fun same (a : string, b) = a = b
  fun toString s = s
  fun preserveWS _ = false
  fun preserveComment _ = false
  fun attribute p = p
end
structure P = XMLParserFn (XMLTreeFn (Schema))
fun try text =
  let
    val name = OS.FileSys.tmpName ()
    val out = TextIO.openOut name
    val () = (TextIO.output (out, text); TextIO.closeOut out)
  in
    (ignore (P.parseFile name); print "parsed\n")
    handle P.ParseError _ => print "ParseError\n"
         | e => print ("raised " ^ exnName e ^ "\n");
    OS.FileSys.remove name
  end
val () = List.app try ["<a>&#99999999999999999999999;</a>", "<a>&#6z;</a>", "<a>&# 60;</a>", "<a>&#0w60;</a>"]
