(* Char, String: predicates, escapes both ways, searches. *)
fun line s = print (s ^ "\n")
val all = List.tabulate (256, Char.chr)
fun bits p = String.implode (map (fn c => if p c then #"1" else #"0") all)
val () = app (line o bits) [Char.isAscii, Char.isAlpha, Char.isAlphaNum, Char.isCntrl, Char.isDigit, Char.isGraph, Char.isHexDigit,
                            Char.isLower, Char.isPrint, Char.isSpace, Char.isPunct, Char.isUpper]
val () = line (String.concat (map Char.toString all))
val () = line (String.concat (map Char.toCString all))
val () = line (String.toString (String.implode (map Char.toLower all)))
val () = print (if List.all (fn c => Char.fromString (Char.toString c) = SOME c andalso Char.fromCString (Char.toCString c) = SOME c) all then "back\n" else "no\n")
fun show NONE = "NONE" | show (SOME s) = "SOME " ^ String.toString s
val () = app (line o show o String.fromString)
  ["abc", "", "a\\nb", "\\t\\065\\^A", "abc\\", "\\q", "ab\\qc", "a\\   \\b", "\\   \\", "\\   x", "\\u0041", "a\nb", "\"", "a\"b", "\\999", "\\\\", "\\256x"]
val () = app (line o show o String.fromCString)
  ["abc", "", "a\\nb", "\\t\\101\\x41g", "abc\\", "\\q", "\\?\\'\\\"", "\\1234", "\\x", "\\777", "ab\\400", "\\08"]
val () = app (fn s => line (case Char.fromString s of NONE => "NONE" | SOME c => Char.toString c)) ["a", "", "\\n", "\\^@", "\\^_", "\\^a", "\\1", "\\ \\a", "\\100"]
val () = line (String.concatWith "," (String.tokens (fn c => c = #",") ",a,,b,"))
val () = line (String.concatWith "|" (String.fields (fn c => c = #",") ",a,,b,"))
val () = line (Int.toString (length (String.fields (fn _ => true) "")) ^ Int.toString (length (String.tokens (fn _ => true) "")))
val () = line (String.translate (fn c => if Char.isUpper c then "<" ^ str c ^ ">" else str c) "aBcD")
val () = line (String.map Char.toUpper "hello" ^ String.substring ("hello", 1, 3) ^ String.extract ("hello", 2, NONE) ^ String.extract ("hello", 5, NONE))
val () = app (fn f => (ignore (f ()); line "fine") handle Subscript => line "Subscript" | Size => line "Size" | Chr => line "Chr")
  [fn () => String.substring ("abc", 1, 3), fn () => String.substring ("abc", ~1, 1), fn () => String.extract ("abc", 4, NONE),
   fn () => str (String.sub ("abc", 3)), fn () => str (Char.chr 256), fn () => str (Char.chr ~1), fn () => str (Char.succ #"\255"),
   fn () => str (Char.pred #"\000"), fn () => String.substring ("abc", 3, 0)]
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
val () = line (order (String.compare ("abc", "abd")) ^ order (String.compare ("ab", "abd")) ^ order (String.compare ("\200", "a")) ^ order (String.compare ("", "")))
val () = line (order (String.collate (fn (a, b) => Char.compare (Char.toLower a, Char.toLower b)) ("ABC", "abc")))
val () = line (Bool.toString ("abc" < "abd") ^ Bool.toString ("b" <= "abd") ^ Bool.toString ("" > "a") ^ Bool.toString ("a" >= "a"))
val () = line (Bool.toString (String.isPrefix "" "abc") ^ Bool.toString (String.isPrefix "abcd" "abc") ^ Bool.toString (String.isSubstring "bc" "abcd") ^ Bool.toString (String.isSuffix "cd" "abcd") ^ Bool.toString (String.isSubstring "" ""))
val () = line (Bool.toString (Char.contains "abc" #"b") ^ Bool.toString (Char.notContains "abc" #"b"))
