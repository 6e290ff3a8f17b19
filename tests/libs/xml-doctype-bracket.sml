(* A bracket in a literal or comment of the DOCTYPE is none of its brackets. *)
structure P = XMLParserFn (GenericXMLTree)
fun read text =
  let
    val name = OS.FileSys.tmpName ()
    val out = TextIO.openOut name
    val () = (TextIO.output (out, text); TextIO.closeOut out)
    val result = (ignore (P.parseFile name); "read") handle P.ParseError m => "ParseError: " ^ m
  in
    OS.FileSys.remove name;
    print (result ^ "\n")
  end
val () = read "<!DOCTYPE a [<!ENTITY x \"]>\"> <!-- ] -->]><a>text</a>"
fun comments n = concat ["<a>", concat (List.tabulate (n, fn _ => "some text here<!-- -->")), "</a>"]
val () = List.app (read o comments) [1000]
