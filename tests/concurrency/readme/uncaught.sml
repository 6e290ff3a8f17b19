exception Broken of string
fun inner n = if n = 0 then raise Broken "the axle" else 1 + inner (n - 1)
val _ = inner 1
