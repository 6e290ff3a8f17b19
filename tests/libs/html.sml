(* HTML 3.2: trees made and printed; texts parsed, with their errors, and printed again. *)
structure M = MakeHTML
fun print' doc = PrHTML.prHTML {putc = print o String.str, puts = print} doc
fun text s = HTML.PCDATA s
val () =
  print'
    (HTML.HTML
       {version = SOME "-//W3C//DTD HTML 3.2//EN", head = [HTML.Head_TITLE "A title"],
        body =
          HTML.BODY
            {background = NONE, bgcolor = SOME "#ffffff", text = NONE, link = NONE, vlink = NONE, alink = NONE,
             content =
               M.blockList
                 [M.mkH (1, "Heading"), M.mkP (M.textList [text "See ", M.mkA_HREF {href = "x.html", content = HTML.EM (text "this")}]),
                  M.mkUL [M.mkLI (HTML.TextBlock (text "one")), M.mkLI (HTML.TextBlock (text "two"))], M.HR,
                  HTML.TABLE {align = SOME HTML.HAlign.center, width = NONE, border = SOME "1", cellspacing = NONE,
                              cellpadding = NONE, caption = NONE,
                              content = [M.mkTR [M.mkTH_COLSPAN {colspan = 2, content = HTML.TextBlock (text "both")}]]}]}})

fun say what {file = _ : string option, line} s = print ("line " ^ Int.toString line ^ ": " ^ what ^ " " ^ s ^ "\n")
structure Parser =
  HTMLParserFn
    (type context = {file : string option, line : int}
     val badStartTag = say "unknown tag"
     val badEndTag = say "bad end tag"
     fun badAttrVal c (a, v) = say "bad value" c (a ^ "=" ^ v)
     val lexError = say "lexical error:"
     val syntaxError = say "syntax error:"
     val missingAttrVal = say "no value for"
     val missingAttr = say "missing"
     val unknownAttr = say "unknown attribute"
     val unquotedAttrVal = say "not quoted:")
val file = OS.FileSys.tmpName ()
fun parse s =
  let val out = TextIO.openOut file
  in TextIO.output (out, s); TextIO.closeOut out; print "--\n"; print' (Parser.parseFile file) end
val () = List.app parse
  ["<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html><head><title>T &amp; U</title>\n<meta name=k content=\"v w\">\
   \<script>if (a < b) x();</script></head>\n<body bgcolor=white>\n<h1 align=center>H</h1>text <b>bold <i>both</i></b>\n<p>one<p>two\
   \ <br clear=all>three</body></html>",
   "<title>no head</title><p>and no body<ul><li>a<li>b <ol start=3><li>c</ol><li>d</ul>",
   "<dl><dt>term<dd>meaning<dt>other<dt>names<dd><p>x</dl><table border><caption>C</caption><tr><td>1<td nowrap>2<tr><th colspan=2>3\
   \<table><tr><td>in</table></table>",
   "<form method=post action=\"/go\"><input type=checkbox name=n checked>yes<select name=s><option>1<option selected>2</select>\
   \<textarea name=t rows=2 cols=20><b>raw</textarea></form><pre>\n  kept\n</pre><map name=m><area shape=rect href=\"a\" alt=\"\"></map>",
   "<!-- comment\n --><blink>x</blink>\n<p align=up foo>y</b>\n<img alt=a/b><a href=>z</a> 1 < 2 <ul>text<b>",
   ""]
val () = OS.FileSys.remove file
