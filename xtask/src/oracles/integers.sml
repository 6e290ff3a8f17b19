(* COUNT operations on integers of up to a million bits, most of them much smaller: the remainders of the results by two primes.
   Operands are made by shifts and quotients by one word. *)

val seed = ref 0w1
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.mod (Word.>> (!seed, 0w33), Word.fromInt n)))

(* As many numbers of 2^k as of 2^(k + 1) bits. *)
fun operand most =
  let
    val bits = let val k = random (most + 1) in random (Word.toInt (Word.<< (0w1, Word.fromInt k))) end
    val times = Int.toLarge (random 1000000000 + 1)
    val by = Int.toLarge (2 * random 1000000000 + 1)
    val n = IntInf.<< (times, Word.fromInt bits) div by
    val n =
      case random 4 of
        0 => IntInf.<< (1, Word.fromInt bits) - times
      | _ => n
  in
    if random 2 = 0 then n else ~n
  end

fun shown n = concat [IntInf.toString (n mod 2305843009213693951), " ", IntInf.toString (n mod 9223372036854775783)]

fun operation () =
  case random 12 of
    0 => shown (operand 20 + operand 20)
  | 1 => shown (operand 20 - operand 20)
  | 2 => shown (operand 20 * operand 20)
  | 3 => let val a = operand 20 in shown (a * a) end
  | 4 => let val a = operand 20 val b = operand 20 in if b = 0 then "0" else shown (a div b) end
  | 5 => let val a = operand 20 val b = operand 18 in if b = 0 then "0" else shown (a mod b) end
  | 6 => let val a = operand 20 val b = operand 20 in if b = 0 then "0" else shown (IntInf.quot (a, b) + IntInf.rem (a, b)) end
  | 7 => shown (IntInf.~>> (operand 20, Word.fromInt (random 1000000)))
  | 8 => shown (IntInf.xorb (operand 20, operand 20))
  | 9 => shown (IntInf.andb (operand 20, operand 20) + IntInf.orb (operand 20, operand 20))
  | 10 => shown (IntInf.pow (operand 8, random 60))
  | _ =>
      let
        val a = operand 16
        val text = IntInf.toString a
      in
        concat [Int.toString (size text), " ", if valOf (IntInf.fromString text) = a then shown a else "is read as another"]
      end

fun loop 0 = ()
  | loop n = (print (operation () ^ "\n"); loop (n - 1))

val () = loop (valOf (Int.fromString (hd (CommandLine.arguments ()))))
