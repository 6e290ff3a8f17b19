(* HTML 4.01: trees made, printed, and parsed again. *)
structure H = HTML4
structure A = HTML4Attrs
fun text s = H.CDATA [H.PCDATA s]
fun show doc =
  let val parts = ref []
  in
    HTML4Print.prHTML {putc = fn c => parts := String.str c :: !parts, puts = fn s => parts := s :: !parts} doc;
    String.concat (List.rev (!parts))
  end
val doc =
  H.HTML
    {version = NONE, head = [H.Head_TITLE ([], [H.PCDATA "T"]), H.Head_META [A.http_equiv "Content-Type", A.content "text/html"]],
     content =
       H.BodyOrFrameset_BODY
         (H.BODY
            ([A.class "main"],
             List.map H.BlockOrScript_BLOCK
               [H.H1 ([A.id "top"], [text "Head", H.EM ([], [text "line"])]),
                H.P ([], [H.CDATA [H.PCDATA "a ", HTML4Entities.lt, H.PCDATA " b", H.CHAR 8364], H.BR [], H.INPUT [A.type' "checkbox", A.checked "1", A.disabled]]),
                H.UL ([], [H.LI ([], [H.Flow_INLINE (text "one")]), H.LI ([], [H.Flow_BLOCK (H.P ([], [text "two"]))])]),
                H.TABLE ([A.border "1"], [H.TBODY ([], [H.TR ([], [H.TD ([A.colspan "2"], [H.Flow_INLINE (text "cell")])])])])]))}
val () = print (show doc)
val again = valOf (HTML4Parser.fromString (show doc))
val () = print (if show again = show (valOf (HTML4Parser.fromString (show again))) then "the same again\n" else show again)
fun parse s =
  case HTML4Parser.fromString s of
    SOME doc => print ("--\n" ^ show doc)
  | NONE => print "--\nnothing\n"
val () = List.app parse
  ["<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><html><head><title>x &copy; y</title><style>p > a {}</style></head>\
   \<body onload=\"f()\">bare text<p>one<p>two &#65; &#x42; &amp &bogus <span>s</span><script>a < b</script><table><tr><td>1<th>2<tr><td>3</table>",
   "<frameset cols=\"1,2\"><frame src=a><frame src=b><noframes><p>none</noframes></frameset>",
   "<form><fieldset><legend>L</legend><select><optgroup label=g><option>1<option>2</optgroup></select><label>l</label></fieldset></form>\
   \<dl><dt>t<dd>d</dl><blink>b</blink><map name=m><area href=x></map><object data=d><param name=n>alt</object>",
   " \n "]
val () = print (HTML4Utils.attrsToStr [A.href "x", A.compact] ^ "\n")
