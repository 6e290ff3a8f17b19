(* A table as one string: columns, lines joined; then capitals, and its words reversed. *)

val words = Vector.fromList ["bread", "butter", "salt", "water", "flour", "yeast", "olives"]

fun line i =
  String.concatWith " | " [StringCvt.padLeft #" " 8 (Int.toString i),
                           StringCvt.padRight #" " 10 (Vector.sub (words, i mod 7)),
                           StringCvt.padLeft #"0" 6 (Int.fmt StringCvt.HEX (i * 37 mod 65536)),
                           Bool.toString (i mod 3 = 0)]

fun sum text = CharVector.foldl (fn (c, s) => (s * 31 + ord c) mod 1000003) 7 text

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val table = String.concatWith "\n" (List.tabulate (n, line))
val () =
  print (concat [Int.toString (size table), " characters, sum ", Int.toString (sum table), "\n"])
val capitals = String.map Char.toUpper table
val () = print (concat ["in capitals ", Int.toString (sum capitals), "\n"])
val turned = String.concatWith " " (rev (String.tokens Char.isSpace capitals))
val () = print (concat ["turned ", Int.toString (sum turned), "\n"])
val escaped = String.translate (fn #"|" => "&#124;" | #" " => "_" | c => str c) turned
val () = print (concat ["escaped ", Int.toString (sum escaped), "\n"])
