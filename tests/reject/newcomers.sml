(* What a newcomer from another language writes; each mistake is said once, with the way it is written here. *)
val x = 5
val a = x == 5
val b = x != 5
val c = x % 2
val d = -5
val e = (x > 1) && (x < 3)
fun f y = return y
val fact = fn n => if n = 0 then 1 else n * fact (n - 1)
val g = foldl (fn x acc => x + acc) 0 [1, 2]
val p = {name = "x", age = 3}
val q = #nmae p
fun h {name, ...} = name
