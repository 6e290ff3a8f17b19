(* MLton.eq of reals compares their bits: the compiler stopped. *)

val xs = map real (List.tabulate (5, fn i => i))
fun f (x: real) = fn (y: real) => MLton.eq (x, y)
val () = print (Bool.toString (f (hd xs) (hd (map (fn x => x * 1.0) xs))) ^ "\n")
val () = print (Bool.toString (List.exists (f (hd xs)) (tl xs)) ^ "\n")
