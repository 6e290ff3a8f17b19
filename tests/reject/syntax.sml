val x = (1 + 2
fun f 0 = 1
  | g n = 2
val y = let val z = 1 in z
val s = "not closed
