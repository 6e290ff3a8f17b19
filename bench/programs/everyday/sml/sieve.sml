(* The primes below n, by an array. *)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val isPrime = Array.array (n, true)

fun strike (i, step) =
  if i >= n then ()
  else (Array.update (isPrime, i, false); strike (i + step, step))

fun sieve i =
  if i * i >= n then ()
  else (if Array.sub (isPrime, i) then strike (i * i, i) else (); sieve (i + 1))

val () = sieve 2

val (count, last, sum) =
  Array.foldli
    (fn (i, prime, (count, last, sum)) =>
      if prime andalso i > 1 then (count + 1, i, (sum + i) mod 1000003) else (count, last, sum))
    (0, 0, 0)
    isPrime

val () =
  print (concat [Int.toString count,
                 " primes, the last is ",
                 Int.toString last,
                 ", sum ",
                 Int.toString sum,
                 "\n"])
