(* Two operands are a pair. A parameter of two fields with other labels took them, too, in the order of the alphabet: `1 f
   "x"` was compiled, and printed 1x. *)

fun f {a : int, b : string} = Int.toString a ^ b
infix f
datatype point = ++ of {x : int, y : int}
infix ++
val () = print (1 f "x")
val p = 1 ++ 2
val q = op ++ {x = 1, y = 2}
