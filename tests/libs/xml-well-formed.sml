(* What is not well-formed was read, and texts and values were given as they stand: XML has one kind of a line's end
   (2.11), and blanks for the white space in a value (3.3.3). A system literal with an ampersand was refused. *)
structure G = GenericXMLTree
structure P = XMLParserFn (G)
val file = OS.FileSys.tmpName ()
fun attr (name, value) = " " ^ Atom.toString name ^ "=[" ^ String.toString value ^ "]"
fun show (G.TEXT s) = "[" ^ String.toString s ^ "]"
  | show (G.CDATA s) = "{" ^ String.toString s ^ "}"
  | show (G.ELEMENT {name, attrs, content}) =
      String.concat (["(", Atom.toString name] @ List.map attr attrs @ List.map show content @ [")"])
fun try text =
  let
    val out = TextIO.openOut file
    val () = (TextIO.output (out, text); TextIO.closeOut out)
    val {doctype, content, ...} = P.parseFile file
  in
    case doctype of
      SOME (G.DOCTYPE (_, SOME (G.SYSTEM s))) => print (s ^ " ")
    | SOME (G.DOCTYPE (_, SOME (G.PUBLIC (p, s)))) => print (p ^ " " ^ s ^ " ")
    | _ => ();
    print (show content ^ "\n")
  end
  handle P.ParseError m => print (String.extract (m, size ("Error [" ^ file), NONE) ^ "\n")

val () = List.app try
  ["<a>x\r\ny\rz&#13;<![CDATA[\r\n]]></a>", "<a b='x\ny\r\n\tz&#10;&#9;'/>", "<a\r\n>\r\n<b></c></a>",
   "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#xFFFE;</a>", "<a>&#1;&#9;</a>", "<a>&#9;&#x10FFFF;.</a>",
   "<a b=\"1\" c=\"\" b=\"2\"/>", "<a b=\"1\" B=\"2\"/>", "<a x=\"1\"y=\"2\"/>", "<a x=\"1\"\ny=\"2\" />",
   "<a>x]]></a>", "<a>]]&gt; ]] ></a>", "<a b=\"]]>\"/>",
   "<a>\001</a>", "<a>x\fy</a>", "<!--\000--><a/>", "<a>\195\164\226\130\172</a>", "<a>\195\n</a>", "<a>\228</a>", "<a>\237\160\128</a>",
   "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\228</a>", "<?xml version=\"1.0\" encoding=\"utf-8\"?><a>\228</a>",
   "<?xmlish?><a/>", "<?xml-stylesheet href='x'?><a/>",
   "<!DOCTYPE a SYSTEM \"http://h/d?x=1&y=<2>'\"><a/>", "<!DOCTYPE a PUBLIC \"-//A&B//\" 'b\"&;'><a/>", "<!DOCTYPE a SYSTEM \"x><a/>"]
val () = OS.FileSys.remove file
