(* A curried function is two for the compiler, and was two in back-traces: `walk` stood there five times for each call,
   with the line of the first one. *)
fun walk f [] = raise Fail "bottom"
  | walk f (x :: rest) = f x + walk f rest
fun add x y =
  if x > 2 then raise Fail "x" else x + y
val () =
  print (Int.toString (add 3 4 + 1) ^ "\n")
  handle Fail _ =>
    print (Int.toString (walk (fn x => x) [1, 2, 3] + 1) ^ "\n")
