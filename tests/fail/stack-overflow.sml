(* Endless recursion once took 4.2 GB and 16 to 26 seconds, and did not say what could be done. The same frame many times is
   one line of the trace. *)
fun sum n = n + sum (n + 1)
val _ = print (Int.toString (sum 0))
