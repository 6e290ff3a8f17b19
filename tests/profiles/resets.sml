(* What bodies of resets do, on stacks of their own, is done by who has called the reset: time in `inner`, memory in `cells`, half of
   it after the body was taken off and put back by another function. *)
val p : int Prompt.prompt = Prompt.new ()

fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
fun cells (0, list) = length list
  | cells (n, list) = cells (n - 1, n :: (if n mod 64 = 0 then [] else list))

val scale = case CommandLine.arguments () of [n] => valOf (Int.fromString n) | _ => 30

fun work () = fib scale + cells (1000 * scale, [])
fun inner () = work () + Prompt.shiftOnce p (fn k => k 1) + work ()
fun outer () = 1 + Prompt.reset p (fn () => 1 + inner ())
fun rounds 0 = 0
  | rounds n = (outer () + rounds (n - 1)) mod 1000003

val () = print (Int.toString (rounds 8) ^ "\n")
