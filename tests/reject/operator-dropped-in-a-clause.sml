(* A second operator behind an infix head in parentheses is an argument without parentheses. It was dropped without a word. *)

infix ++
fun (x ++ y) z ++ q = x + y + z + q
val () = print (Int.toString ((1 ++ 2) 3 4) ^ "\n")
