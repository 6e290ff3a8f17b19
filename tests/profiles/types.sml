(* Four phases that allocate: cells of a list 3 words each, boxes 4, closures 3; and arrays of 101 words, a hundredth as many. *)
datatype shape = Dot | Box of int * int * int

fun cells (0, list) = list
  | cells (n, list) = cells (n - 1, (if n mod 1000 = 0 then [n] else n :: list))

val shape = ref Dot
fun boxes n = if n = 0 then () else (shape := Box (n, n, n); boxes (n - 1))

val adder = ref (fn n => n + 0)
fun closures n = if n = 0 then () else (adder := (fn k => k + n); closures (n - 1))

val row = ref (Array.array (1, 0))
fun arrays n = if n = 0 then () else (row := Array.array (100, n); arrays (n - 1))

val count = valOf (Int.fromString (hd (CommandLine.arguments ())))
val list = cells (count, [])
val () = (boxes count; closures count; arrays (count div 100))
val side = case !shape of Box (a, _, _) => a | Dot => 0
val () = print (Int.toString (length list + side + !adder 1 + Array.sub (!row, 99)) ^ "\n")
