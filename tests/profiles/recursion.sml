(* Recursive functions, which no inlining takes away: most of the cost is fib's, then tak's, then that of rev. *)
fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

fun tak (x, y, z) =
  if y < x then tak (tak (x - 1, y, z), tak (y - 1, z, x), tak (z - 1, x, y)) else z

fun rev [] = []
  | rev (x :: rest) = rev rest @ [x]

fun repeat 0 = 0
  | repeat n = length (rev (List.tabulate (60, fn i => i))) + repeat (n - 1)

val scale = case CommandLine.arguments () of [n] => valOf (Int.fromString n) | _ => 24

val () = print (Int.toString (fib scale) ^ "\n")
val () = print (Int.toString (tak (scale - 8, 10, 4)) ^ "\n")
val () = print (Int.toString (repeat (scale * scale div 4)) ^ "\n")
