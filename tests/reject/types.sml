val a = 1 + "two"
fun f x = if x then 1 else "one"
val b = f 3
val c = undefinedName 4
val d : string = List.map (fn x => x + 1) [1, 2]
