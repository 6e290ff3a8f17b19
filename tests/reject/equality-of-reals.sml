(* The message was that a function "expects `''a`", without a word about equality. *)
fun eq (a : ''a, b) = a = b
val x = eq (1.0, 2.0)
fun member x xs = List.exists (fn y => y = x) xs
val y = member 2.5 [1.0]
