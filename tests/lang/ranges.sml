(* Checks go where ranges show that they never raise: the ones beside them that do raise must stay. Rows and columns by one loop,
   sums of a number that only grows, ends by `=`, and steps that jump over the end. *)

fun show f = print ((Int.toString (f ()) handle Overflow => "Overflow" | Subscript => "Subscript" | Size => "Size") ^ "\n")

fun fill (rows, columns, size) =
  let
    val a = Array.array (12, 1)
    fun go (i, j, sum) =
      if i = rows then sum
      else if j = columns then go (i + 1, 0, sum)
      else (Array.update (a, i * columns + j, i + j); go (i, j + 1, sum + Array.sub (a, i * columns + j) + size))
  in
    go (0, 0, 0)
  end

val () = show (fn () => fill (3, 4, 0))
val () = show (fn () => fill (4, 4, 0))
val () = show (fn () => fill (3, 5, 0))

fun square n =
  let
    val a = Array.array (16, 2)
    fun go (i, j, sum) =
      if i = 4 then sum
      else if j = 4 then go (i + 1, 0, sum)
      else go (i, j + 1, sum + Array.sub (a, i * 4 + j + n))
  in
    go (0, 0, 0)
  end

val () = app (fn n => show (fn () => square n)) [0, 1, ~1]

val most = valOf Int.maxInt
val least = valOf Int.minInt

(* the sum may be too large, the difference too small; the distance only grows *)
fun safe (_, _, []) = true
  | safe (q, d, p :: rest) = q <> p andalso q <> p + d andalso q <> p - d andalso safe (q, d + 1, rest)

fun truth l = show (fn () => if safe (5, 1, l) then 1 else 0)
val () = truth [1, 2, 3]
val () = truth [1, 2, 2]
val () = truth [1, most, 2]
val () = truth [1, 1, most - 2]
val () = truth [1, 1, most - 3]
val () = truth [1, 1, least + 3]
val () = truth [1, 1, least + 2]

(* an odd step never meets its end *)
fun steps (i, k, sum) = if i = 10 orelse k = 0 then sum else steps (i + 3, k - 1, (sum + i) mod 1000)
val () = show (fn () => steps (0, 1000, 0))
val () = show (fn () => steps (1, 1000, 0))

fun up (i, step, count) = if i = 100 then count else up (i + step, step * 2, count + 1)
val () = show (fn () => up (0, 1, 0))
val () = show (fn () => up (69, 1, 0))

(* down to an end that a step of two jumps over *)
fun down (i, a) = if i = 0 then 0 else Array.sub (a, i - 1) + down (i - 2, a)
val () = show (fn () => down (6, Array.array (6, 7)))
val () = show (fn () => down (5, Array.array (6, 7)))

(* products *)
fun powers (i, p) = if i = 70 then p else powers (i + 1, p * 2)
val () = show (fn () => powers (10, 1))
val () = show (fn () => powers (0, 1))
fun table (i, n, sum) = if i = 50 then sum else table (i + 1, n, sum + i * n)
val () = show (fn () => table (0, 1000, 0))
val () = show (fn () => table (0, most div 48, 0))

(* twice is exact *)
val () = app (fn x => print (Real.toString (2.0 * x) ^ " " ^ Real.toString (x * 2.0) ^ "\n"))
  [0.0, ~0.0, 0.1, 1E308, ~1E308, Real.posInf, Real.minPos, 3.0]
val () = print (Bool.toString (Real.isNan (2.0 * (Real.posInf - Real.posInf))) ^ "\n")
