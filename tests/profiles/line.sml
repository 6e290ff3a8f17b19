(* Two calls of one function in a line, which are inlined both, in a loop that is unrolled; and one in the test of a loop, of
   which there is a copy before the loop. *)
fun half x = if x mod 2 = 0 then x div 2 else x * 3 + 1
fun both (a, b) = half a + half b
fun go (0, s) = s
  | go (n, s) = go (n - 1, (s + both (n, n + 1)) mod 1000003)
val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val () = print (Int.toString (go (n, 0)) ^ "\n")
fun other x = x * 7919 mod 1009 <> 1008
fun sum (x, s) = if other x then sum (x + 1, s + x) else s
val () = print (Int.toString (sum (0, 0)) ^ "\n")
