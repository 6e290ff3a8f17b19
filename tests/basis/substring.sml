(* Substring: parts, cuts, searches. *)
fun line s = print (s ^ "\n")
structure S = Substring
val base = "the quick brown fox, the lazy dog"
val full = S.full base
fun show s = let val (_, i, n) = S.base s in "\"" ^ S.string s ^ "\"@" ^ Int.toString i ^ "+" ^ Int.toString n end
fun show2 (a, b) = show a ^ " " ^ show b
fun isSpace c = c = #" "
val () = line (show (S.substring (base, 4, 5)))
val () = line (show (S.extract (base, 10, NONE)))
val () = app (fn (i, n) => (line (show (S.substring (base, i, n)))) handle Subscript => line "Subscript")
  [(0, 0), (33, 0), (34, 0), (~1, 2), (30, 4), (30, 3), (0, ~1)]
val () = line (show2 (S.splitl (not o isSpace) full))
val () = line (show2 (S.splitr (not o isSpace) full))
val () = line (show2 (S.splitAt (full, 7)))
val () = line (show (S.triml 4 full) ^ show (S.trimr 4 full) ^ show (S.triml 100 full) ^ show (S.trimr 100 full))
val () = line (show (S.dropl isSpace (S.extract (base, 3, NONE))) ^ show (S.takel Char.isAlpha full) ^ show (S.taker Char.isAlpha full) ^ show (S.dropr Char.isAlpha full))
val () = line (show2 (S.position "fox" full))
val () = line (show2 (S.position "cat" full))
val () = line (show2 (S.position "" full))
val () = line (show (S.span (S.substring (base, 4, 5), S.substring (base, 10, 5))))
val () = (line (show (S.span (S.substring (base, 10, 5), S.substring (base, 4, 5))))) handle Span => line "Span"
val () = app (line o show) (S.tokens (fn c => c = #" " orelse c = #",") full)
val () = app (line o show) (S.fields (fn c => c = #" " orelse c = #",") full)
val () = line (Bool.toString (S.isPrefix "the" full) ^ Bool.toString (S.isSuffix "dog" full) ^ Bool.toString (S.isSubstring "lazy" full) ^ Bool.toString (S.isSubstring "lax" full))
val () = line (S.translate (fn #"e" => "EE" | c => str c) (S.substring (base, 0, 9)))
val () = line (S.concat [S.substring (base, 0, 3), S.substring (base, 9, 6)] ^ "|" ^ S.concatWith ", " [S.full "a", S.full "b"])
val () = line (implode (S.explode (S.slice (S.substring (base, 4, 11), 2, SOME 3))))
val () = line (case S.compare (S.full "abc", S.substring ("xabd", 1, 3)) of LESS => "LESS" | EQUAL => "EQUAL" | GREATER => "GREATER")
val () = line (S.foldr (fn (c, s) => s ^ str c) "" (S.full "abc") ^ S.foldl (fn (c, s) => s ^ str c) "" (S.full "abc"))
val () = line (case S.getc (S.full "") of NONE => "NONE" | SOME _ => "SOME")
val () = line (case S.first full of NONE => "NONE" | SOME c => str c)
