(* Curried functions applied to tuples and the other way round: one message each, which says how it is written. *)
fun add x y = x + y
val a = add (1, 2)
fun cat (a, b) = a ^ b
val b = cat "x" "y"
val c = foldl (fn (x, y) => x + y, 0, [1, 2])
val d = String.substring "abc" 1 2
val e = Int.max 3 4 + 1
val f = add ("a", "b")
val g = cat 1
