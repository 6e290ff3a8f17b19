(* The text of TITLE and SCRIPT is no markup, and nothing is reported of it. *)
structure Err =
struct
  type context = {file : string option, line : int}
  fun say what ({line, ...} : context) s =
    print (concat ["line ", Int.toString line, ": ", what, ": ", s, "\n"])
  val badStartTag = say "badStartTag"
  val badEndTag = say "badEndTag"
  fun badAttrVal context (name, value) = say "badAttrVal" context (name ^ "=" ^ value)
  val lexError = say "lexError"
  val syntaxError = say "syntaxError"
  val missingAttrVal = say "missingAttrVal"
  val missingAttr = say "missingAttr"
  val unknownAttr = say "unknownAttr"
  val unquotedAttrVal = say "unquotedAttrVal"
end
structure Parser = HTMLParserFn (Err)
val name = OS.FileSys.tmpName ()
val out = TextIO.openOut name
val () =
  TextIO.output (out,
    "<HTML><HEAD><TITLE>< 5 euros</TITLE>\n\
    \<SCRIPT><!-- for (i = 0; i < n; i++) document.write (i);</SCRIPT></HEAD>\n\
    \<BODY><P>text</P></BODY></HTML>\n")
val () = TextIO.closeOut out
val _ = Parser.parseFile name
val () = OS.FileSys.remove name
val () = print "parsed\n"
