(* What HTML does not allow where it stands was thrown away in lists, tables, rows, SELECT, MAP and DL, though three
   pages say that it is kept: a list directly within a list, the commonest error of real pages, disappeared with all its
   items. It is in the part before it, or a part of its own; the parser of HTML 3.2 tells of it, too. *)

fun squeezed f =
  let
    val pieces = ref []
    fun add s = pieces := s :: !pieces
    val () = f {putc = add o String.str, puts = add}
    (* new lines are the printer's *)
    val text = String.translate (fn #"\n" => "" | c => String.str c) (String.concat (List.rev (!pieces)))
    val (_, body) = Substring.position "<BODY" (Substring.full text)
  in
    Substring.string body
  end
structure Err =
struct
  type context = {file : string option, line : int}
  fun quiet (_ : context) (_ : string) = ()
  val badStartTag = quiet
  val badEndTag = quiet
  fun badAttrVal (_ : context) (_ : string * string) = ()
  val lexError = quiet
  fun syntaxError (_ : context) s = print ("   (" ^ s ^ ")\n")
  val missingAttrVal = quiet
  val missingAttr = quiet
  val unknownAttr = quiet
  val unquotedAttrVal = quiet
end
structure Parser = HTMLParserFn (Err)
val file = OS.FileSys.tmpName ()
fun parse text =
  let
    val () = print (text ^ "\n")
    val () =
      case HTML4Parser.fromString text of
        SOME doc => print ("4: " ^ squeezed (fn out => HTML4Print.prHTML out doc) ^ "\n")
      | NONE => print "4: nothing\n"
    val out = TextIO.openOut file
    val () = (TextIO.output (out, text); TextIO.closeOut out)
    val doc = Parser.parseFile file
  in
    print ("3: " ^ squeezed (fn out => PrHTML.prHTML out doc) ^ "\n")
  end
val () = List.app parse
  ["<ul>text <b>bold</b><ul><li>nested</ul><li>item</ul>",
   "<ol><li>a</li> <ol><li>b</ol> and <i>more</i> <li>c</ol>",
   "<dl>text<dt>t</dt>behind<dd>d</dd><p>kept</dl>",
   "<table>before<tr>out<td>1</td>in<td>2</tr>behind<caption>C</caption><caption>D</caption></table>",
   "<table><td>1<td>2<tr><td>3</table>",
   "<table><tr><tr><td>1</table>",
   "<select name=s><b>no</b><p><option>1</p><option>2</select>",
   "<map name=m>text<p><area href=a alt=x></p><area href=b alt=y></map>"]
val () = OS.FileSys.remove file

(* those that HTML 4 has alone *)
fun parse4 text =
  print (text ^ "\n" ^ squeezed (fn out => HTML4Print.prHTML out (valOf (HTML4Parser.fromString text))) ^ "\n")
val () = List.app parse4
  ["<table><thead>h<tr><th>1</thead><colgroup><col width=1>c<tbody>b</table>",
   "<select><option>0<optgroup label=l><i><option>1</i><option>2</select>",
   "<fieldset><legend>L</legend><legend>M</legend>f</fieldset><noscript>n<script>s()</script></noscript>"]
