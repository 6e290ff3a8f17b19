(* IntInf: integers of any size.

   A number that fits into 64 bits is one machine integer (Small'); any other is a magnitude (magnitude.sml) under the
   constructor that says its sign (Pos', Neg'). So each number has one form, and equality is that of the datatype.
   Operations try the small case first.

   Bits are those of two's complement; text is magnitude-text.sml's, but for the sign. *)

signature INT_INF =
sig
  include INTEGER

  (* `div` and `mod` at once. Raises Div when the second is 0. *)
  val divMod : int * int -> int * int
  (* `quot` and `rem` at once. Raises Div when the second is 0. *)
  val quotRem : int * int -> int * int
  (* The first to the power of the second. With an exponent below 0 it is 0, for 1 and ~1 their power; raises Div for
     0. *)
  val pow : int * int' -> int
  (* the largest k with 2^k <= i; raises Domain when i <= 0 *)
  val log2 : int -> int'
  (* Or of all bits, as if numbers were in two's complement with a sign that goes on without end. *)
  val orb : int * int -> int
  (* Exclusive or of all bits, in two's complement. *)
  val xorb : int * int -> int
  (* And of all bits, in two's complement. *)
  val andb : int * int -> int
  (* All bits inverted: ~(i + 1). *)
  val notb : int -> int
  (* Moves the bits to the left: times 2 to the power of n. *)
  val << : int * word -> int
  (* Moves the bits to the right: divided by 2 to the power of n, rounded down. *)
  val ~>> : int * word -> int
end

structure IntInf : INT_INF =
struct
  structure M = Magnitude'
  datatype intinf = datatype intinf
  type int = intinf

  val mulHigh = PrimInts'.int_mul_high
  val word = PrimWords'.bits : int' -> word
  val toI = PrimWords'.bits : word -> int'

  val precision = NONE
  val minInt = NONE
  val maxInt = NONE
  fun toInt (Small' i) = i
    | toInt _ = raise Overflow
  val fromInt = Small'
  fun toLarge i = i
  fun fromLarge i = i

  val least : int' = ~9223372036854775808

  (* the magnitude of a small number *)
  fun absWord (i : int') = if Int.< (i, 0) then Word.~ (word i) else word i

  fun magnitude (Small' i) = M.ofWord (absWord i)
    | magnitude (Pos' m) = m
    | magnitude (Neg' m) = m
  fun isNegative (Small' i) = Int.< (i, 0)
    | isNegative (Pos' _) = false
    | isNegative (Neg' _) = true

  (* the number with this sign and magnitude *)
  fun make (negative, m) =
    case M.length m of
      0 => Small' 0
    | 1 =>
        let
          val w = M.sub (m, 0)
        in
          if negative then
            (if Word.<= (w, 0wx8000000000000000) then Small' (toI (Word.~ w)) else Neg' m)
          else if Word.< (w, 0wx8000000000000000) then Small' (toI w)
          else Pos' m
        end
    | _ => if negative then Neg' m else Pos' m

  (* a number of 128 bits in two's complement that does not fit into 64 *)
  fun make2 (high, low) =
    let
      val negative = Int.< (toI high, 0)
      val (high, low) =
        if negative then (Word.+ (Word.notb high, if low = 0w0 then 0w1 else 0w0), Word.~ low)
        else (high, low)
      val a = M.new 2
    in
      M.set (a, 0, low);
      M.set (a, 1, high);
      make (negative, M.trim (a, 2))
    end

  fun negate (Small' i) =
        if i = least then Pos' (M.ofWord 0wx8000000000000000) else Small' (Int.~ i)
    | negate (Pos' m) = make (true, m)
    | negate (Neg' m) = Pos' m

  (* signs and magnitudes added *)
  fun addSigned (s, a, t, b) =
    if s = t then make (s, M.add (a, b))
    else
      case M.compare (a, b) of
        LESS => make (t, M.subtract (b, a))
      | EQUAL => Small' 0
      | GREATER => make (s, M.subtract (a, b))

  (* sum of two small numbers that does not fit *)
  fun carryOut (a, sum) = make2 (if Int.< (a, 0) then 0wxFFFFFFFFFFFFFFFF else 0w0, sum)

  fun add (Small' a, Small' b) =
        let
          val s = Word.+ (word a, word b)
        in
          if Int.< (toI (Word.andb (Word.xorb (word a, s), Word.xorb (word b, s))), 0) then
            carryOut (a, s)
          else Small' (toI s)
        end
    | add (a, b) = addSigned (isNegative a, magnitude a, isNegative b, magnitude b)

  fun subtract (Small' a, Small' b) =
        let
          val s = Word.- (word a, word b)
        in
          if Int.< (toI (Word.andb (Word.xorb (word a, word b), Word.xorb (word a, s))), 0) then
            carryOut (a, s)
          else Small' (toI s)
        end
    | subtract (a, b) = addSigned (isNegative a, magnitude a, not (isNegative b), magnitude b)

  fun multiply (Small' a, Small' b) =
        let
          val low = Word.* (word a, word b)
          val high = mulHigh (a, b)
        in
          if high = toI (Word.~>> (low, 0w63)) then Small' (toI low) else make2 (word high, low)
        end
    | multiply (a, b) = make (isNegative a <> isNegative b, M.multiply (magnitude a, magnitude b))

  (* quotient to zero; the remainder has the sign of the first *)
  fun quotRem (_, Small' 0) = raise Div
    | quotRem (Small' a, Small' b) =
        if b = ~1 then (negate (Small' a), Small' 0)
        else (Small' (Int.quot (a, b)), Small' (Int.rem (a, b)))
    | quotRem (a, b) =
        let
          val (q, r) = M.divide (magnitude a, magnitude b)
        in
          (make (isNegative a <> isNegative b, q), make (isNegative a, r))
        end
  fun quot (Small' a, Small' b) =
        if b = ~1 then negate (Small' a) else Small' (Int.quot (a, b))
    | quot p = #1 (quotRem p)
  fun rem (Small' a, Small' b) =
        if b = ~1 then Small' 0 else Small' (Int.rem (a, b))
    | rem p = #2 (quotRem p)

  (* quotient rounded down; the remainder has the sign of the second *)
  fun divMod (a, b) =
    let
      val (q, r) = quotRem (a, b)
    in
      if r <> Small' 0 andalso isNegative r <> isNegative b then
        (subtract (q, Small' 1), add (r, b))
      else (q, r)
    end
  fun divide (Small' a, Small' b) =
        if b = ~1 then negate (Small' a) else Small' (Int.div (a, b))
    | divide p = #1 (divMod p)
  fun modulo (Small' a, Small' b) =
        if b = ~1 then Small' 0 else Small' (Int.mod (a, b))
    | modulo p = #2 (divMod p)

  fun compare (Small' a, Small' b) = Int.compare (a, b)
    | compare (Small' _, Pos' _) = LESS
    | compare (Small' _, Neg' _) = GREATER
    | compare (Pos' a, Pos' b) = M.compare (a, b)
    | compare (Pos' _, _) = GREATER
    | compare (Neg' a, Neg' b) = M.compare (b, a)
    | compare (Neg' _, _) = LESS
  fun less (Small' a, Small' b) = Int.< (a, b)
    | less p = compare p = LESS
  fun lessEq (Small' a, Small' b) = Int.<= (a, b)
    | lessEq p = compare p <> GREATER
  fun min (a, b) = if less (a, b) then a else b
  fun max (a, b) = if less (a, b) then b else a
  fun sign (Small' i) = Int.sign i
    | sign (Pos' _) = 1
    | sign (Neg' _) = ~1
  fun sameSign (a, b) = sign a = sign b
  fun abs i = if isNegative i then negate i else i

  (* bits that no number has: two terabytes *)
  val most = 0x100000000000
  fun pow (b, e) =
    let
      (* The bits of the result, nearly, are at least these. Too many are refused like `<<` does; and for many, the room
         is asked for before the work begins: without memory for the result, it is not begun. *)
      val least = Int.- (M.bitLength (magnitude b), 1)
      val () =
        if Int.< (least, 1) orelse Int.< (e, 1) then ()
        else if Int.>= (e, Int.div (most, least)) then raise Size
        else if Int.> (Int.* (least, e), 0x40000000) then M.room (Int.div (Int.* (least, e), 64))
        else ()
      (* acc * b^e *)
      fun go (acc, b, e) =
        if e = 0 then acc
        else
          go (if Int.mod (e, 2) = 1 then multiply (acc, b) else acc,
              if e = 1 then b else multiply (b, b),
              Int.div (e, 2))
      val bits = Int.- (M.bitLength (magnitude b), 1)
    in
      if Int.>= (e, 0) then
        (* a power of two is a shift *)
        if Int.>= (least, 1) andalso M.isPowerOfTwo (magnitude b) then
          make (isNegative b andalso Int.mod (e, 2) = 1,
                M.shl (M.ofWord 0w1, Word.fromInt (Int.* (least, e))))
        else go (Small' 1, b, e)
      else
        case b of
          Small' 0 => raise Div
        | Small' 1 => b
        | Small' ~1 => if Int.mod (e, 2) = 0 then Small' 1 else b
        | _ => Small' 0
    end

  fun log2 i = if Int.> (sign i, 0) then Int.- (M.bitLength (magnitude i), 1) else raise Domain

  (* -- two's complement *)

  fun notb (Small' i) = Small' (toI (Word.notb (word i)))
    | notb i = subtract (Small' ~1, i)

  (* n words of a number in two's complement *)
  fun words (i, n) =
    let
      val m = magnitude i
      val k = M.length m
      val a = M.filled (n, 0w0)
    in
      M.copy (M.thaw m, 0, a, 0, k);
      if isNegative i then complement (a, n) else ();
      a
    end
  (* the negative of n words, in place *)
  and complement (a, n) =
    let
      fun go (j, carry) =
        if j = n then ()
        else
          let
            val w = Word.+ (Word.notb (M.get (a, j)), carry)
          in
            M.set (a, j, w);
            go (Int.+ (j, 1), if carry = 0w1 andalso w = 0w0 then 0w1 else 0w0)
          end
    in
      go (0, 0w1)
    end

  fun bitwise f (a, b) =
    let
      val n = Int.+ (Int.max (M.length (magnitude a), M.length (magnitude b)), 1)
      val x = words (a, n)
      val y = words (b, n)
      fun go j =
        if j = n then () else (M.set (x, j, f (M.get (x, j), M.get (y, j))); go (Int.+ (j, 1)))
    in
      go 0;
      if Int.< (toI (M.get (x, Int.- (n, 1))), 0) then
        (complement (x, n); make (true, M.trim (x, n)))
      else make (false, M.trim (x, n))
    end
  fun andb (Small' a, Small' b) = Small' (toI (Word.andb (word a, word b)))
    | andb p = bitwise Word.andb p
  fun orb (Small' a, Small' b) = Small' (toI (Word.orb (word a, word b)))
    | orb p = bitwise Word.orb p
  fun xorb (Small' a, Small' b) = Small' (toI (Word.xorb (word a, word b)))
    | xorb p = bitwise Word.xorb p

  fun << (i as Small' 0, _) = i
    | << (i, count) =
        if Word.>= (count, Word.fromInt most) then raise Size
        else make (isNegative i, M.shl (magnitude i, count))
  fun ~>> (Small' i, count) = Small' (toI (Word.~>> (word i, count)))
    | ~>> (i, count) =
        let
          val (m, lost) = M.shr (magnitude i, count)
        in
          if isNegative i then make (true, if lost then M.add (m, M.ofWord 0w1) else m)
          else make (false, m)
        end

  (* -- text *)

  fun fmt radix (Small' i) = Int.fmt radix i
    | fmt radix (Pos' m) = MagnitudeText'.toText radix m
    | fmt radix (Neg' m) = "~" ^ MagnitudeText'.toText radix m
  fun toString i = fmt StringCvt.DEC i

  fun scan radix getc src =
    let
      val base = Digits'.base radix
      val (_, width) = MagnitudeText'.chunk radix
      (* Groups of `width` digits, the last first, and the k digits behind them, as values. *)
      fun digits (src, groups, w, k) =
        let
          fun stop () = (src, groups, w, k)
        in
          case getc src of
            SOME (c, rest) =>
              let
                val v = Digits'.value c
              in
                if Int.< (v, base) then
                  let
                    val w = Word.+ (Word.* (w, word base), word v)
                    val k = Int.+ (k, 1)
                  in
                    if k = width then digits (rest, w :: groups, 0w0, 0)
                    else digits (rest, groups, w, k)
                  end
                else stop ()
              end
          | NONE => stop ()
        end
      fun number (negative, start) =
        let
          fun plain start =
            case digits (start, [], 0w0, 0) of
              (_, [], _, 0) => NONE
            | (rest, groups, w, k) =>
                SOME (make (negative, MagnitudeText'.ofDigits (radix, groups, w, k)), rest)
        in
          case (radix, getc start) of
            (StringCvt.HEX, SOME (#"0", rest)) =>
              (case getc rest of
                 SOME (x, rest') =>
                   if x = #"x" orelse x = #"X" then
                     (case plain rest' of
                        NONE => SOME (Small' 0, rest)
                      | found => found)
                   else plain start
               | NONE => plain start)
          | _ => plain start
        end
      val src = StringCvt.skipWS getc src
    in
      case getc src of
        SOME (#"~", rest) => number (true, rest)
      | SOME (#"-", rest) => number (true, rest)
      | SOME (#"+", rest) => number (false, rest)
      | _ => number (false, src)
    end
  fun fromString s = StringCvt.scanString (scan StringCvt.DEC) s

  val ~ = negate
  val op + = add
  val op - = subtract
  val op * = multiply
  val op div = divide
  val op mod = modulo
  val op < = less
  val op <= = lessEq
  fun a > b = less (b, a)
  fun a >= b = lessEq (b, a)
end

structure LargeInt : INTEGER = IntInf
