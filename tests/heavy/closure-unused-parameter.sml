(* A curried function that is applied to its first argument gives a closure of what its body mentions. With optimisation it
   had all of the first argument list, so each closure kept the one before it: 3,000,000 took some hundred MB. *)

fun steps (width, previous : (int -> int) option) length =
  if length <= 0 then 0 else 1 + steps (width, NONE) (length - width)

val last : (int -> int) option ref = ref NONE

fun run 0 = ()
  | run n = (last := SOME (steps (n, !last)); run (n - 1))

val () = run 1000000
val () = print (Int.toString (case !last of SOME f => f 10 | NONE => 0) ^ "\n")
