(* Calls, comparisons, and sums of ints. *)

fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

fun tak (x, y, z) =
  if y >= x then z else tak (tak (x - 1, y, z), tak (y - 1, z, x), tak (z - 1, x, y))

fun compose (f, g) x = f (g x)

fun times (0, _) x = x
  | times (n, f) x = times (n - 1, f) (f x)

val () = print (Int.toString (fib 24) ^ "\n")
val () = print (Int.toString (tak (14, 8, 3)) ^ "\n")
val () =
  print (Int.toString (times (100000, compose (fn x => x + 3, fn x => x * 2 mod 1001)) 1) ^ "\n")
