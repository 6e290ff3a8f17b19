(* Recursion a million deep: raising through it, and time that is linear in the depth. *)
exception E of int
fun deep 0 = raise E 99
  | deep n = 1 + deep (n - 1)
val () = print (Int.toString (deep 1000000 handle E i => i) ^ "\n")
fun sum 0 = 0
  | sum n = n + sum (n - 1)
val () = print (Int.toString (sum 1000000) ^ "\n")
(* allocation at every level, so that collections meet the deep stack *)
fun build 0 = []
  | build n = let val x = (n, Int.toString n) in x :: build (n - 1) end
val () = print (Int.toString (foldl (fn ((n, s), k) => k + n + size s) 0 (build 1000000)) ^ "\n")
