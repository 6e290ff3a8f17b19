(* A deep stack counts in the limit on the heap: what has no room is the recursion. *)
fun list n = n :: list (n + 1)
val _ = print (Int.toString (length (list 0)))
