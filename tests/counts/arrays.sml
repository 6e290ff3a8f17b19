(* Arrays: checked and unchecked accesses, words, reals. *)

fun sieve n =
  let
    val isPrime = Array.array (n + 1, true)
    fun strike (i, step) =
      if i > n then () else (Array.update (isPrime, i, false); strike (i + step, step))
    fun go i =
      if i * i > n then ()
      else (if Array.sub (isPrime, i) then strike (i * i, i) else (); go (i + 1))
  in
    go 2;
    Array.foldli
      (fn (i, prime, count) => if prime andalso i > 1 then count + 1 else count)
      0
      isPrime
  end

fun hash text =
  Word8Vector.foldl
    (fn (b, h) => (h + Word64.fromInt (Word8.toInt b)) * 0w1099511628211)
    0w14695981039346656037
    text

fun dot (xs, ys) =
  let
    fun go (i, sum) =
      if i = RealVector.length xs then sum
      else go (i + 1, sum + RealVector.sub (xs, i) * RealVector.sub (ys, i))
  in
    go (0, 0.0)
  end

val () = print (Int.toString (sieve 60000) ^ "\n")
val () =
  print (Word64.toString (hash (Word8Vector.tabulate (100000, fn i => Word8.fromInt (i mod 251))))
         ^ "\n")
val reals = RealVector.tabulate (50000, fn i => Real.fromInt (i mod 100) / 8.0)
val () = print (Real.fmt (StringCvt.FIX (SOME 3)) (dot (reals, reals)) ^ "\n")
