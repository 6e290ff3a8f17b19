(* A tag within many open elements costs what any tag costs: half a megabyte of open tables once took half a minute. And what
   a tag ends, as far out as the next list or table, is as before. Likewise HTML within HTML: what is in it was copied
   for each. *)
fun times (n, s) = String.concat (List.tabulate (n, fn _ => s))
fun size' text =
  let
    val n = ref 0
  in
    Option.app (HTML4Print.prHTML {putc = fn _ => n := !n + 1, puts = fn s => n := !n + size s})
      (HTML4Parser.fromString text);
    !n
  end
val () = print (Bool.toString (size' (times (7000, "<table><tr><td>")) > 105000) ^ "\n")
val () = print (Bool.toString (size' (times (7000, "<b>")) > 21000) ^ "\n")
val () = print (Bool.toString (size' (times (10000, "<html>") ^ times (10000, "<p>x")) > 40000) ^ "\n")

fun show text =
  let
    val pieces = ref []
  in
    Option.app
      (HTML4Print.prHTML {putc = fn c => pieces := str c :: !pieces, puts = fn s => pieces := s :: !pieces})
      (HTML4Parser.fromString text);
    print (String.translate (fn c => if Char.isSpace c then "" else str c) (concat (rev (!pieces))) ^ "\n")
  end
val () = List.app show
  ["<ul><li>a<li>b<ol><li>c<li>d</ol><li>e</ul>",
   "<table><tr><td>a<td><table><tr><td>b<tr><td>c</table><td>d<tr><td>e</table>",
   "<p>a<b>b<p>c</b>d<ul><li><p>e<p>f</ul>g",
   "<dl><dt>a<dd>b<dl><dt>c</dl><dt>d</dl>",
   (* What is left open in a cell ends with the cell; it swallowed the rest of the table. *)
   "<table><tr><td><object data=x>a<td>b<tr><td>c</table>d",
   "<table><tr><td><ul><li>a<td><p><button><b>b<tbody><tr><th><map name=m>c<td>d</table>e",
   (* but an item does not *)
   "<ul><li><object data=x><p>a<li>b</object><li>c</ul>"]
