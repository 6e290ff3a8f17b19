(* Modular: greatest common divisors, inverses and powers modulo a number, of integers of any size.

     Modular.pow (3, 1000, 7)                                 4, as IntInf.pow (3, 1000) mod 7
     Modular.inverse (3, 7)                                   SOME 5, since 3 * 5 = 15 = 2 * 7 + 1

   Divisors and inverses by Lehmer's algorithm (Knuth, The Art of Computer Programming, volume 2, 4.5.2, algorithm
   L): the steps of Euclid's on the leading 64 bits of both numbers, as long as these decide the quotients, are one
   round on the numbers, in place, some 32 bits of which it takes away. Whether they decide them is told without a
   second quotient, after Collins (Jebelean, A double-digit Lehmer-Euclid algorithm, 1995, section 4.2).

   Powers by windows of bits of the exponent (Menezes, van Oorschot and Vanstone, Handbook of Applied Cryptography,
   14.82). The products modulo an odd number are Montgomery's (the same, 14.36). Another modulus is so shifted that
   its uppermost bit is set: each product is divided by it in place, and only the last remainder by the modulus
   itself. How long it takes depends on the numbers: it is nothing for secret exponents. *)

signature MODULAR =
sig
  (* The greatest common divisor, which is not negative; that of 0 and 0 is 0. *)
  val gcd : IntInf.int * IntInf.int -> IntInf.int
  (* The number from 0 to m - 1 whose product with the first one is 1 modulo m, the second; NONE if they have a common
     divisor. Raises Domain when m is less than 1. *)
  val inverse : IntInf.int * IntInf.int -> IntInf.int option
  (* `pow (b, e, m)` is b to the power of e modulo m, from 0 to m - 1. With e below 0 it is the power of b's inverse;
     raises Div when there is none, and Domain when m is less than 1. *)
  val pow : IntInf.int * IntInf.int * IntInf.int -> IntInf.int
end

structure Modular :> MODULAR =
struct
  open IntInf

  (* -- arrays of n words, least first *)

  val sub = PrimArrays'.array_sub_unsafe : word array * Int.int -> word
  val copy = PrimArrays'.array_copy_unsafe

  (* The words of a number that is not negative, zeros behind them. *)
  fun toWords (x, n) =
    let
      val a = Array.array (n, 0w0)
    in
      case MLton.IntInf.rep x of
        MLton.IntInf.Small i => Array.update (a, 0, Word.fromInt i)
      (* the sign comes first *)
      | MLton.IntInf.Big words =>
          VectorSlice.appi
            (fn (i, w) => Array.update (a, i, w))
            (VectorSlice.slice (words, 1, NONE));
      a
    end

  fun ofWords (a, n) =
    let
      fun part (i, 1) = Word.toLargeInt (Array.sub (a, i))
        | part (i, k) =
            let
              val low = Int.quot (k, 2)
              val high = part (Int.+ (i, low), Int.- (k, low))
            in
              << (high, Word.fromInt (Int.* (64, low))) + part (i, low)
            end
    in
      part (0, n)
    end

  fun bits e = if e = 0 then 0 else Int.+ (log2 e, 1)
  fun wordsOf x = Int.quot (Int.+ (bits x, 63), 64)

  (* -- rounds of Euclid's algorithm. A round (u, v, u', v', true) makes u * x - v * y of x and v' * y - u' * x of y,
     after an even number of steps; (.., false) makes v * y - u * x and u' * x - v' * y of them, after an odd one. *)

  (* The round that the leading words decide, x >= y. With v = 0 no quotient was decided. *)
  fun leading (x, y) =
    let
      open Word
      (* The last step is not taken: it says that the one before was right. *)
      fun go (x, y, u, u', u'', v, v', v'', isEven) =
        if y >= v'' andalso x - y >= v' + v'' then
          let
            val q = x div y
          in
            go (y, x - q * y, u', u'', u' + q * u'', v', v'', v' + q * v'', not isEven)
          end
        else (u, v, u', v', isEven)
    in
      go (x, y, 0w0, 0w1, 0w0, 0w0, 0w0, 0w1, false)
    end

  (* The divisor of two words, and the round that makes it of x; y becomes 0. *)
  fun ofTwo (x, y) =
    let
      open Word
      fun go (x, 0w0, u, _, v, _, isEven) = (x, (u, v, 0w0, 0w0, isEven))
        | go (x, y, u, u', v, v', isEven) =
            let
              val q = x div y
            in
              go (y, x - q * y, u', u + q * u', v', v + q * v', not isEven)
            end
    in
      go (x, y, 0w1, 0w0, 0w0, 0w1, true)
    end

  (* as many as a call of the runtime takes *)
  val mostInPlace = 16384

  (* What rounds make of x >= y, of at most so many words, until no quotient is decided. `after` says what each round
     makes of s. *)
  fun rounds after (x, y, s) =
    let
      val n = wordsOf x
      (* x and y are in these two; the others have room. n words of each count, and only those of y may begin with
         zeros. *)
      fun go (x, y, x', y', n, s) =
        if Int.> (n, 1) andalso sub (x, Int.- (n, 1)) = 0w0 then go (x, y, x', y', Int.- (n, 1), s)
        else if n = 1 then
          let
            val (divisor, round) = ofTwo (sub (x, 0), sub (y, 0))
          in
            (Word.toLargeInt divisor, 0, after (round, s))
          end
        else
          let
            val zeros =
              Word.fromInt (Int.- (63, IntInf.log2 (Word.toLargeInt (sub (x, Int.- (n, 1))))))
            fun top a =
              Word.orb (Word.<< (sub (a, Int.- (n, 1)), zeros),
                        Word.>> (sub (a, Int.- (n, 2)), Word.- (0w64, zeros)))
          in
            case leading (top x, top y) of
              (_, 0w0, _, _, _) => (ofWords (x, n), ofWords (y, n), s)
            | round as (u, v, u', v', isEven) =>
                let
                  fun times (a, w) = ignore (PrimBignum'.mp_mul_word (a, n, w, 0w0))
                  fun minus (a, b) = ignore (PrimBignum'.mp_sub (a, 0, n, b, 0, n))
                in
                  (* What goes beyond n words is none of the difference. *)
                  copy (x, 0, x', 0, n);
                  copy (y, 0, y', 0, n);
                  times (x, u);
                  times (y', v);
                  times (x', u');
                  times (y, v');
                  if isEven then
                    (minus (x, y'); minus (y, x'); go (x, y, x', y', n, after (round, s)))
                  else
                    (minus (y', x); minus (x', y); go (y', x', x, y, n, after (round, s)))
                end
          end
      fun room () = Array.array (n, 0w0)
    in
      if y = 0 then (x, y, s) else go (toWords (x, n), toWords (y, n), room (), room (), n, s)
    end

  (* One round, of numbers of any size. *)
  fun round after (x, y, s) =
    let
      val beyond = Word.fromInt (Int.- (log2 x, 63))
      fun top n = Word.fromLargeInt (~>> (n, beyond))
    in
      case leading (top x, top y) of
        (_, 0w0, _, _, _) => (x, y, s)
      | round as (u, v, u', v', isEven) =>
          let
            val large = Word.toLargeInt
            val first = large u * x - large v * y
            val second = large v' * y - large u' * x
          in
            if isEven then (first, second, after (round, s))
            else (~ first, ~ second, after (round, s))
          end
    end

  (* The divisor of x >= y >= 0, and what all rounds, and all quotients between them, make of s. *)
  fun euclid (after, quotient) =
    let
      fun go (x, y, s) =
        if y = 0 then (x, s)
        else if Int.<= (log2 x, 63) then
          let
            val (divisor, round) = ofTwo (Word.fromLargeInt x, Word.fromLargeInt y)
          in
            (Word.toLargeInt divisor, after (round, s))
          end
        else
          let
            (* Where x is much the longer one, its quotient comes first. *)
            val (x, y, s) =
              if Int.> (Int.- (log2 x, log2 y), 31) then (x, y, s)
              else if Int.<= (wordsOf x, mostInPlace) then rounds after (x, y, s)
              else round after (x, y, s)
          in
            if y = 0 then (x, s)
            else
              let
                val (q, rest) = quotRem (x, y)
              in
                go (y, rest, quotient (q, s))
              end
          end
    in
      go
    end

  fun gcd (a, b) =
    let
      val (a, b) = (abs a, abs b)
      val find = euclid (fn _ => (), fn _ => ())
    in
      #1 (if a < b then find (b, a, ()) else find (a, b, ()))
    end

  (* How often a is in x and y, modulo m: s times and t times, one of them with the other sign. *)
  fun inverse (a, m) =
    let
      val large = Word.toLargeInt
      fun after ((u, v, u', v', isEven), (s, t, isPlus)) =
        (large u * s + large v * t, large u' * s + large v' * t, isPlus = isEven)
      fun quotient (q, (s, t, isPlus)) = (t, s + q * t, not isPlus)
    in
      if m < 1 then raise Domain
      else
        case euclid (after, quotient) (m, a mod m, (0, 1, true)) of
          (1, (s, _, true)) => SOME (~ s mod m)
        | (1, (s, _, false)) => SOME (s mod m)
        | _ => NONE
    end

  (* -- powers *)

  (* Products up to this size are one call of the runtime. *)
  val mostWords = 400
  val roomFrom = 32

  (* How many bits of an exponent are taken at a time. *)
  fun window e =
    let
      val n = bits e
    in
      if Int.< (n, 10) then 1
      else if Int.< (n, 50) then 3
      else if Int.< (n, 250) then 4
      else if Int.< (n, 900) then 5
      else 6
    end

  (* b^e for e > 0, where `times` multiplies *)
  fun power (times, b, e) =
    let
      val k = window e
      val powers = Array.array (Word.toInt (Word.<< (0w1, Word.fromInt k)), b)
      fun fill i =
        if i = Array.length powers then ()
        else
          (Array.update (powers, i, times (Array.sub (powers, Int.- (i, 1)), b));
           fill (Int.+ (i, 1)))
      val mask = Word.- (Word.<< (0w1, Word.fromInt k), 0w1)
      (* the i-th group of k bits *)
      fun group i =
        Word.toInt (Word.andb (Word.fromLargeInt (~>> (e, Word.fromInt (Int.* (i, k)))), mask))
      fun squared (x, 0) = x
        | squared (x, j) = squared (times (x, x), Int.- (j, 1))
      fun go (x, 0) = x
        | go (x, i) =
            let
              val i = Int.- (i, 1)
              val x = squared (x, k)
            in
              case group i of
                0 => go (x, i)
              | g => go (times (x, Array.sub (powers, g)), i)
            end
      val first = Int.div (Int.- (bits e, 1), k)
    in
      fill 2;
      go (Array.sub (powers, group first), first)
    end

  (* The product of numbers of n words, into an array of twice as many. *)
  fun product n =
    let
      val room =
        Array.array (if Int.< (n, roomFrom) then 0 else Int.+ (Int.* (8, n), 256), 0w0)
      val p = Array.array (Int.* (2, n), 0w0)
    in
      (p, fn (x, y) => PrimBignum'.mp_mul (p, x, 0, n, y, 0, n, room))
    end

  (* n words of an array, from one on, as an array of their own *)
  fun part (a, i, n) =
    let
      val b = Array.array (n, 0w0)
    in
      copy (a, i, b, 0, n);
      b
    end

  (* 1 / w modulo 2^64, of an odd word: five bits are right at first, and each step doubles that. *)
  fun inverseOfWord w =
    let
      open Word
      fun step x = x * (0w2 - w * x)
    in
      step (step (step (step (xorb (0w3 * w, 0w2)))))
    end

  (* Of an odd modulus. With r = 2^(64 n) each number x stands for x / r modulo m. It is less than r, but need not be
     less than m. *)
  fun odd (b, e, m) =
    let
      val n = wordsOf m
      val r = Word.fromInt (Int.* (64, n))
      val modulus = toWords (m, n)
      val inverse = Word.~ (inverseOfWord (sub (modulus, 0)))
      val (p, multiply) = product n
      fun reduced () =
        let
          val carry = PrimBignum'.mp_reduce (p, modulus, n, inverse)
          val z = part (p, n, n)
        in
          if carry = 0w0 then () else ignore (PrimBignum'.mp_sub (z, 0, n, modulus, 0, n));
          z
        end
      fun times (x, y) = (multiply (x, y); reduced ())
      val result = power (times, toWords (<< (b, r) mod m, n), e)
    in
      ofWords (times (result, toWords (1, n)), n) mod m
    end

  (* Of any other, so shifted that its uppermost bit is set. *)
  fun even (b, e, m) =
    let
      val n = Int.max (2, wordsOf m)
      val shifted = toWords (<< (m, Word.fromInt (Int.- (Int.* (64, n), bits m))), n)
      val quotient = Array.array (n, 0w0)
      val (p, multiply) = product n
      fun times (x, y) =
        (multiply (x, y);
         PrimBignum'.mp_div_digits (quotient, 0, p, 0, shifted, 0, n, n);
         part (p, 0, n))
    in
      ofWords (power (times, toWords (b, n), e), n) mod m
    end

  fun long (b, e, m) = power (fn (x, y) => x * y mod m, b, e)

  fun pow (b, e, m) =
    if m < 1 then raise Domain
    else if e < 0 then
      (case inverse (b, m) of
         SOME b => pow (b, ~ e, m)
       | NONE => raise Div)
    else if e = 0 then 1 mod m
    else
      let
        val b = b mod m
      in
        if Int.> (bits m, Int.* (64, mostWords)) then long (b, e, m)
        else if andb (m, 1) = 1 then odd (b, e, m)
        else even (b, e, m)
      end
end
