(* XML: documents to trees, by the generic schema and by one of the program's own; errors with their places. *)
structure G = GenericXMLTree
structure P = XMLParserFn (G)
val file = OS.FileSys.tmpName ()
fun write text = let val out = TextIO.openOut file in TextIO.output (out, text); TextIO.closeOut out end
fun line s = print (s ^ "\n")
fun attr (name, value) = " " ^ Atom.toString name ^ "=" ^ value
fun show (G.TEXT s) = "[" ^ String.toString s ^ "]"
  | show (G.CDATA s) = "{" ^ String.toString s ^ "}"
  | show (G.ELEMENT {name, attrs, content}) =
      String.concat (["(", Atom.toString name] @ List.map attr attrs @ List.map show content @ [")"])
fun parse text =
  let
    val () = write text
    val {xmlDecl, doctype, content} = P.parseFile file
    val decl = case xmlDecl of SOME attrs => "?" ^ String.concat (List.map attr attrs) ^ " " | NONE => ""
    val kind =
      case doctype of
        SOME (G.DOCTYPE (name, NONE)) => "!" ^ name ^ " "
      | SOME (G.DOCTYPE (name, SOME (G.SYSTEM s))) => "!" ^ name ^ " system " ^ s ^ " "
      | SOME (G.DOCTYPE (name, SOME (G.PUBLIC (p, s)))) => "!" ^ name ^ " public " ^ p ^ " " ^ s ^ " "
      | NONE => ""
  in
    line (decl ^ kind ^ show content)
  end
  handle P.ParseError message => line (String.extract (message, size ("Error [" ^ file), NONE))
val () = List.app parse
  ["<a/>",
   "<?xml version=\"1.0\" encoding='UTF-8'?>\n<!-- a comment -->\n<!DOCTYPE a SYSTEM \"a.dtd\">\n<a><b x=\"1\" y='two'/></a>\n",
   "<!DOCTYPE html PUBLIC \"-//W3C//DTD\" \"http://x\" [ <!ELEMENT a ANY> ]><html></html>",
   "<a>\n  some  text <b>bold</b> more\n  <c/>\n  <d/>\n</a>",
   "<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;&#x20AC;</a>",
   "<a x=\"&lt;&#x41;'\"><![CDATA[<not> & parsed]]></a>",
   "<a><!-- <b> --><?pi data?>x<!-- y -->z</a>",
   "<a><b></a>", "<a", "<a><b>\n</c></b></a>", "", "text", "<a/><b/>", "<a x=1/>", "<a>&nbsp;</a>", "<a x=\"<\"/>", "<a>\n<!-- ",
   "<A></a>"]

(* white space is kept in <pre>, unknown elements are errors *)
structure Tree =
  XMLTreeFn
    (datatype element = Doc | Pre
     type attribute = string
     fun element "doc" = SOME Doc | element "pre" = SOME Pre | element _ = NONE
     fun preserveWS e = e = Pre
     fun preserveComment _ = false
     val same = op =
     fun toString Doc = "doc" | toString Pre = "pre"
     fun attribute (name, value) = name ^ value)
structure Q = XMLParserFn (Tree)
val () = write "<doc>\n <pre> kept\n <doc> x </doc></pre> <doc> y </doc> </doc>"
fun spaces (Tree.TEXT s) = "[" ^ String.toString s ^ "]"
  | spaces (Tree.CDATA s) = s
  | spaces (Tree.ELEMENT {content, ...}) = "(" ^ String.concat (List.map spaces content) ^ ")"
val () = line (spaces (#content (Q.parseFile file)))
val () = write "<doc><what/></doc>"
val () = (Q.parseFile file; ()) handle Q.ParseError m => line (String.extract (m, size ("Error [" ^ file), NONE))
val () = OS.FileSys.remove file
