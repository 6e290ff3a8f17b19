(* String.translate puts the pieces into one array that grows. It was a list of all pieces: 800 MB for a text of 10 MB. *)

fun check (name, b) = print (name ^ (if b then " ok\n" else " WRONG\n"))

val text = CharVector.tabulate (300, fn i => chr (i * 7 mod 256))
fun piece c = CharVector.tabulate (ord c mod 5, fn j => chr ((ord c + j) mod 256))
fun alike f s = String.translate f s = concat (map f (explode s))

val () = check ("as concat and map", List.all (fn n => alike piece (substring (text, 0, n))) (List.tabulate (300, fn n => n)))
val () = check ("one character each", String.translate str text = text)
val () = check ("nothing", String.translate (fn _ => "") text = "" andalso String.translate (fn _ => "x") "" = "")
val () = check ("long at the end", String.translate (fn #"c" => text | _ => "") "abc" = text)
val () = check ("a part", Substring.translate (fn c => str c ^ "-") (Substring.substring ("hello", 1, 3)) = "e-l-l-")

(* What was made is not written to again. *)
val made = String.translate str "abc"
val () = check ("kept", (String.translate (fn c => str (Char.toUpper c)) made, made) = ("ABC", "abc"))

(* A text of one character becomes what the function gives for it, without another copy. *)
val () =
  check
    ("one character",
     List.all (fn c => String.translate piece (str c) = piece c) (explode text)
     andalso (String.translate (fn _ => raise Fail "raised") "x" = "" handle Fail _ => true))
