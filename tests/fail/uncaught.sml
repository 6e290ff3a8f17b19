exception Broken of string
fun inner n = if n = 0 then raise Broken "the axle" else 1 + inner (n - 1)
fun outer n = inner n + 1
val () = print "before\n"
val _ = outer 3
val () = print "not reached\n"
