(* A processing instruction, the mark of the byte order or any other text before the head made the whole head part of
   the body, where META and LINK are nothing. What a HEAD contains is head, whatever stands before it. And a paragraph
   was ended, with the button, by a block inside of BUTTON, OBJECT, IFRAME, APPLET or MAP, which HTML 4 allows; and
   &#12abc; was read as &#12;. *)
structure H = HTML4
fun show text =
  let
    val pieces = ref []
    fun add s = pieces := s :: !pieces
    val doc as H.HTML {head, ...} = valOf (HTML4Parser.fromString text)
    val () = HTML4Print.prHTML {putc = add o String.str, puts = add} doc
    val () = print (Int.toString (List.length head) ^ " in the head: ")
    val (_, html) = Substring.position "<HTML" (Substring.full (String.concat (List.rev (!pieces))))
  in
    print (String.translate (fn #"\n" => "" | c => String.str c) (Substring.string html) ^ "\n")
  end
val head = "<head><title>T</title><meta name=a content=b></head>"
val () = List.app show
  ["<?xml version=\"1.0\"?>\n<html>" ^ head ^ "<body><?here?><p>x<?there?></p></body></html>",
   "\239\187\191<html>" ^ head ^ "<body class=c><p>x</p></body></html>",
   "text" ^ head ^ "more",
   "<title>T</title>text<head>inside <link rel=r></head><body>x",
   "text<html>" ^ head ^ "<frameset cols=1><frame src=a></frameset><noframes>none</noframes></html>",
   "<frameset>a<frameset><frame src=b></frameset><noframes><body class=c>d</body></noframes>e</frameset>"]

val () = List.app show
  ["<p>a<button><div>inside</div></button>b</p>",
   "<p>a<object data=x><param name=n><p>instead</p></object>b</p>",
   "<p>a<iframe><h1>x</h1></iframe><applet><ul><li>y</ul></applet><map name=m><p>z</p></map>b<p>c"]

val () = show "<p>&#12abc; &#x0x41; &#x; &#; &#-1; &#65; &#x4a; &#X4A;"

(* the parser of HTML 3.2 likewise *)
structure Err =
struct
  type context = {file : string option, line : int}
  fun say what (_ : context) s = print ("(" ^ what ^ s ^ ") ")
  val badStartTag = say "start tag "
  val badEndTag = say "end tag "
  fun badAttrVal (_ : context) (_ : string * string) = ()
  val lexError = say ""
  val syntaxError = say ""
  val missingAttrVal = say "no value "
  val missingAttr = say "no attribute "
  val unknownAttr = say "attribute "
  val unquotedAttrVal = say "no quotes "
end
structure Parser = HTMLParserFn (Err)
val file = OS.FileSys.tmpName ()
fun parse text =
  let
    val out = TextIO.openOut file
    val () = (TextIO.output (out, text); TextIO.closeOut out)
    val doc as HTML.HTML {head, ...} = Parser.parseFile file
    val () = print (Int.toString (List.length head) ^ " in the head: ")
  in
    PrHTML.prHTML {putc = fn #"\n" => () | c => print (String.str c), puts = print} doc;
    print "\n"
  end
val () = List.app parse
  ["<?xml version=\"1.0\"?>\n<html>" ^ head ^ "<body><p>x</p></body></html>",
   "text<head><title>T</title></head><body bgcolor=red>more"]
val () = OS.FileSys.remove file
