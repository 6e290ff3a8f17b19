(* `IntInf.pow` with a result that no memory holds never ended: it multiplied larger and larger numbers. As `<<` it raises Size
   where no number has so many bits, and OutOfMemory before it begins. *)
fun try f = print ((f () handle e => exnName e) ^ "\n")
fun pow (b, e) = try (fn () => let val n = IntInf.pow (b, e) in if IntInf.abs n < 1000000 then IntInf.toString n else Int.toString (IntInf.log2 (IntInf.abs n)) end)
val huge = 9000000000000000000
val () = app pow [(2, huge), (~2, huge), (3, huge), (10, 17000000000000), (IntInf.pow (2, 1000), 20000000000), (3, 8000000000000)]
val () = app pow [(0, huge), (1, huge), (~1, huge), (~1, huge + 1), (0, 0), (2, ~3), (~1, ~3), (0, ~1)]
(* powers of two are shifts *)
val () = app pow [(2, 0), (2, 1), (2, 19), (~2, 19), (~2, 18), (4, 9), (~8, 5), (2, 100000), (1024, 1000)]
fun slow (_, 0) = 1 : IntInf.int
  | slow (b, e) = b * slow (b, e - 1)
val bases = [2, ~2, 4, 3, ~3, 10, IntInf.pow (2, 64), ~ (IntInf.pow (2, 64)), IntInf.pow (2, 63), IntInf.pow (2, 64) + 1]
val () = try (fn () => Bool.toString (List.all (fn b => List.all (fn e => IntInf.pow (b, e) = slow (b, e)) [0, 1, 2, 3, 7, 20]) bases))
