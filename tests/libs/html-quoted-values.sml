(* An attribute's value that contains a quotation mark was printed in quotation marks: as broken markup, also where the
   parser had read it. Names of HTML 3.2's META and LINK that are no words were printed without any. *)
fun show text =
  let
    val pieces = ref []
    fun add s = pieces := s :: !pieces
    val () = HTML4Print.prHTML {putc = add o String.str, puts = add} (valOf (HTML4Parser.fromString text))
  in
    String.concat (List.rev (!pieces))
  end
fun try text =
  let
    val once = show text
    val (_, body) = Substring.position "<P" (Substring.full once)
  in
    print (Substring.string (Substring.takel (fn c => c <> #"\n") body) ^ (if show once = once then "" else " not the same again") ^ "\n")
  end
val () = List.app try
  ["<p title='say \"hi\"'>", "<p title=\"it's\">", "<p title=a\"b'c>", "<p title=\"say &quot;hi&quot;\">", "<p title='\"' class=\"\" id=x>"]
val () =
  PrHTML.prHTML {putc = print o String.str, puts = print}
    (HTML.HTML
       {version = NONE,
        head =
          [HTML.Head_META {httpEquiv = SOME "Content-Type", name = SOME "two words", content = "say \"hi\""},
           HTML.Head_LINK {id = SOME "", href = SOME "a'b\"c", rel = NONE, rev = NONE, title = NONE}],
        body =
          HTML.BODY
            {background = NONE, bgcolor = NONE, text = NONE, link = NONE, vlink = NONE, alink = NONE,
             content = HTML.TextBlock (HTML.PCDATA "\"text\"")}})
