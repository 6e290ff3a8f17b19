(* Curried functions: the compiler makes two of each, which are one to the program. *)
fun hanoi 0 _ _ _ = 0
  | hanoi n a b c = hanoi (n - 1) a c b + 1 + hanoi (n - 1) c b a
val () = print (Int.toString (hanoi 9 1 2 3) ^ "\n")

fun walk f [] = 0
  | walk f (x :: rest) = f x + walk f rest
val () = print (Int.toString (walk (fn x => x) (List.tabulate (100, fn i => i)) + 1) ^ "\n")
val () = print (Int.toString (walk ~ (List.tabulate (50, fn i => i)) + 1) ^ "\n")

fun power x 0 = 1
  | power x n = x * power x (n - 1)
val () = print (Int.toString (List.foldl op + 0 (List.map (power 2) [5, 10, 20])) ^ "\n")
