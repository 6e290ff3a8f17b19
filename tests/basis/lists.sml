(* List, ListPair, Option, Bool, StringCvt, General. *)
fun line s = print (s ^ "\n")
fun ints l = "[" ^ String.concatWith "," (map Int.toString l) ^ "]"
fun try f = (line (f ())) handle Empty => line "Empty" | Subscript => line "Subscript" | Size => line "Size" | Option => line "Option" | ListPair.UnequalLengths => line "UnequalLengths"
val l = [3, 1, 4, 1, 5, 9, 2, 6]
val () = app try
  [fn () => Int.toString (hd []), fn () => ints (tl []), fn () => Int.toString (List.last []), fn () => Int.toString (List.nth (l, 8)),
   fn () => Int.toString (List.nth (l, ~1)), fn () => ints (List.take (l, 9)), fn () => ints (List.drop (l, ~1)), fn () => ints (List.tabulate (~1, fn i => i)),
   fn () => Int.toString (valOf NONE), fn () => ints (List.take (l, 8)), fn () => ints (List.drop (l, 8)), fn () => Int.toString (List.last l)]
val () = line (ints (List.mapPartial (fn x => if x > 3 then SOME (x * x) else NONE) l) ^ ints (List.filter (fn x => x mod 2 = 1) l))
val () = line (let val (a, b) = List.partition (fn x => x < 4) l in ints a ^ ints b end)
val () = line (Int.toString (foldl op- 0 l) ^ " " ^ Int.toString (foldr op- 0 l))
val () = line (ints (List.revAppend ([1, 2], [3])) ^ ints (List.concat [[1], [], [2, 3]]) ^ ints ([1] @ [2]) ^ ints (rev l))
val () = line (Bool.toString (List.exists (fn x => x = 9) l) ^ Bool.toString (List.all (fn x => x < 9) l) ^ Bool.toString (null l))
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
val () = line (order (List.collate Int.compare ([1, 2], [1, 3])) ^ order (List.collate Int.compare ([1], [])) ^ order (List.collate Int.compare ([], [])))
val () = line (case List.find (fn x => x > 4) l of SOME x => Int.toString x | NONE => "NONE")
val () = line (case List.getItem [] : (int * int list) option of SOME _ => "SOME" | NONE => "NONE")
structure P = ListPair
val () = line (ints (P.map op+ ([1, 2, 3], [10, 20])) ^ Int.toString (P.foldl (fn (a, b, c) => a * b - c) 0 ([1, 2], [3, 4])) ^ Int.toString (P.foldr (fn (a, b, c) => a * b - c) 0 ([1, 2], [3, 4])))
val () = try (fn () => ints (P.mapEq op+ ([1, 2, 3], [10, 20])))
val () = (P.appEq (fn (a, b) => print (Int.toString (a + b) ^ " ")) ([1, 2], [1, 2, 3])) handle P.UnequalLengths => line "UnequalLengths"
val () = try (fn () => Int.toString (length (P.zipEq ([1], []))))
val () = try (fn () => Bool.toString (P.allEq (fn (a : int, b) => a = b) ([1, 2], [1])) ^ Bool.toString (P.all (fn (a : int, b) => a = b) ([1, 2], [1])) ^ Bool.toString (P.exists (fn (a : int, b) => a = b) ([1, 2], [2, 2])))
val () = line (let val (a, b) = P.unzip [(1, 2), (3, 4)] in ints a ^ ints b end)
val () = line (String.concatWith "," (map Bool.toString [isSome NONE, isSome (SOME 1), getOpt (NONE, true), valOf (Option.filter not false), isSome (Option.join (SOME NONE : int option option))]))
val () = line (case Option.compose (fn x => x + 1, fn x => if x > 0 then SOME x else NONE) 5 of SOME x => Int.toString x | NONE => "NONE")
val () = line (case Option.mapPartial (fn x => if x > 9 then SOME x else NONE) (SOME 5) of SOME x => Int.toString x | NONE => "NONE")
val () = app (fn s => line (case Bool.fromString s of SOME b => Bool.toString b | NONE => "NONE")) ["true", " FALSE", "tRuE ", "trye", "", "falsehood"]
val () = line (StringCvt.padLeft #"*" 5 "abc" ^ StringCvt.padRight #"*" 5 "abc" ^ StringCvt.padLeft #"*" 2 "abc")
val () = line (let val (a, b) = StringCvt.splitl Char.isDigit Substring.getc (Substring.full "123abc") in a ^ "|" ^ Substring.string b end)
exception Mine of int and Yours
val () = line (String.concatWith " " (map exnName [Mine 1, Yours, Fail "x", Div, Subscript, Option, Empty]) ^ " " ^ exnMessage (Fail "text"))
val () = line (Int.toString (1 before ignore 2) ^ Int.toString (((fn x => x + 1) o (fn x => x * 2)) 5))
