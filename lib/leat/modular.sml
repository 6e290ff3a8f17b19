(* Modular: greatest common divisors, inverses and powers modulo a number, of integers of any size.

     Modular.pow (3, 1000, 7)                                 4, as IntInf.pow (3, 1000) mod 7
     Modular.inverse (3, 7)                                   SOME 5, since 3 * 5 = 15 = 2 * 7 + 1

   Powers by windows of bits of the exponent (Menezes, van Oorschot and Vanstone, Handbook of Applied Cryptography,
   14.82). The modulus is so shifted that its uppermost bit is set: each product is divided by it in place, and only the
   last remainder by the modulus itself. How long it takes depends on the numbers: it is nothing for secret exponents.

   Montgomery's product was not taken: without a kernel of its own it is three products, a division in place is less
   than two. *)

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

  (* -- greatest common divisors, by Lehmer's algorithm (Knuth, The Art of Computer Programming, volume 2, 4.5.2,
     algorithm L): the steps of Euclid's on the leading 60 bits of both numbers, as long as these decide the quotients,
     are one step on the numbers: some 30 bits at a time *)

  val leading = 60

  (* (a, b, c, d): the numbers x and y become a * x + b * y and c * x + d * y. With b = 0 no quotient was decided. *)
  fun steps (x, y) =
    let
      open Int
      fun go (x, y, a, b, c, d) =
        if y + c = 0 orelse y + d = 0 then (a, b, c, d)
        else
          let
            val q = (x + a) div (y + c)
          in
            if q <> (x + b) div (y + d) then (a, b, c, d)
            else go (y, x - q * y, c, d, a - q * c, b - q * d)
          end
    in
      go (x, y, 1, 0, 0, 1)
    end

  fun gcdOfInts (x, 0) = x
    | gcdOfInts (x, y) = gcdOfInts (y, Int.rem (x, y))

  (* of x >= y >= 0 *)
  fun euclid (x, 0) = x
    | euclid (x, y) =
        let
          val beyond = Int.- (log2 x, Int.- (leading, 1))
        in
          if Int.<= (beyond, 0) then fromInt (gcdOfInts (toInt x, toInt y))
          else
            let
              fun head n = toInt (~>> (n, Word.fromInt beyond))
            in
              case steps (head x, head y) of
                (_, 0, _, _) => euclid (y, rem (x, y))
              | (a, b, c, d) =>
                  euclid (fromInt a * x + fromInt b * y, fromInt c * x + fromInt d * y)
            end
        end

  fun gcd (a, b) =
    let
      val (a, b) = (abs a, abs b)
    in
      if a < b then euclid (b, a) else euclid (a, b)
    end

  fun inverse (a, m) =
    let
      (* r = a * s and r' = a * s' modulo m *)
      fun go (r, 0, s, _) = if r = 1 then SOME (s mod m) else NONE
        | go (r, r', s, s') =
            let
              val (q, rest) = quotRem (r, r')
            in
              go (r', rest, s', s - q * s')
            end
    in
      if m < 1 then raise Domain else go (a mod m, m, 1, 0)
    end

  (* -- arrays of n words, least first *)

  fun toWords (x, n) =
    Array.tabulate (n, fn i => Word.fromLargeInt (~>> (x, Word.fromInt (Int.* (64, i)))))
  fun ofWords (a, n) =
    let
      fun go (i, x) =
        if i = 0 then x
        else go (Int.- (i, 1), orb (<< (x, 0w64), Word.toLargeInt (Array.sub (a, Int.- (i, 1)))))
    in
      go (n, 0)
    end

  (* Products up to this size are one call of the runtime. *)
  val mostWords = 400
  val roomFrom = 32

  fun bits e = if e = 0 then 0 else Int.+ (log2 e, 1)

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

  fun short (b, e, m) =
    let
      val n = Int.max (2, Int.div (Int.+ (bits m, 63), 64))
      val shifted = toWords (<< (m, Word.fromInt (Int.- (Int.* (64, n), bits m))), n)
      val quotient = Array.array (n, 0w0)
      val product = Array.array (Int.* (2, n), 0w0)
      val room =
        Array.array (if Int.< (n, roomFrom) then 0 else Int.+ (Int.* (8, n), 256), 0w0)
      fun times (x, y) =
        let
          val () = PrimBignum'.mp_mul (product, x, 0, n, y, 0, n, room)
          val () = PrimBignum'.mp_div_digits (quotient, 0, product, 0, shifted, 0, n, n)
          val z = Array.array (n, 0w0)
        in
          ArraySlice.copy {src = ArraySlice.slice (product, 0, SOME n), dst = z, di = 0};
          z
        end
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
        if Int.<= (bits m, Int.* (64, mostWords)) then short (b, e, m) else long (b, e, m)
      end
end
