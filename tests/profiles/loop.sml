(* Loops that are inlined, before a print, below handlers, and before an array is made. The way back of such a loop, *)
(* which moves numbers between registers, stands behind all that follows the loop: it counted as what stood there, *)
(* 6 % as `print`, 10 % as the making of the array. *)
fun loop (i, a) = if i = 0 then a else loop (i - 1, (a * 31 + i) mod 1000003)
val () = print (Int.toString (loop (1000000, 0)) ^ "\n")

fun find (a, x) = let fun go i = if Array.sub (a, i) = x then i else go (i + 1) in go 0 end handle Subscript => ~1
val a = Array.array (10000, 0)
fun rep 0 s = s | rep k s = rep (k - 1) (s + find (a, 1))
val () = print (Int.toString (rep 100 0) ^ "\n")
