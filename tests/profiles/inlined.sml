(* Nothing is left of `outer` but the loop that is inlined into it; both are called a thousand times, as `fact` is. *)
fun fact (0, a) = a
  | fact (n, a) = fact (n - 1, a * n mod 1000003)
fun outer x =
  let
    fun go (0, s) = s
      | go (k, s) = go (k - 1, (s + k) mod 7919)
  in
    go (10, x)
  end
fun run (0, s) = s
  | run (n, s) = run (n - 1, s + fact (50, 1) + outer s)
val () = print (Int.toString (run (1000, 0)) ^ "\n")
