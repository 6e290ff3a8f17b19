(* Real, Math, IEEEReal: 64-bit IEEE numbers. *)

signature MATH =
sig
  type real
  (* The circumference of a circle of diameter 1. *)
  val pi : real
  (* The base of natural logarithms. *)
  val e : real
  (* The square root; NaN of a number below 0. *)
  val sqrt : real -> real
  (* The sine of an angle in radians; NaN of infinities. *)
  val sin : real -> real
  (* The cosine of an angle in radians; NaN of infinities. *)
  val cos : real -> real
  (* The tangent of an angle in radians; NaN of infinities. *)
  val tan : real -> real
  (* The angle from ~pi/2 to pi/2 of that sine; NaN outside of ~1 to 1. *)
  val asin : real -> real
  (* The angle from 0 to pi of that cosine; NaN outside of ~1 to 1. *)
  val acos : real -> real
  (* The angle from ~pi/2 to pi/2 of that tangent. *)
  val atan : real -> real
  (* `atan2 (y, x)` is the angle from ~pi to pi of the point (x, y). *)
  val atan2 : real * real -> real
  (* e to that power. *)
  val exp : real -> real
  (* The first to the power of the second. *)
  val pow : real * real -> real
  (* The natural logarithm; NaN of a number below 0, negative infinity of 0. *)
  val ln : real -> real
  (* The logarithm of base 10; NaN of a number below 0, negative infinity of 0. *)
  val log10 : real -> real
  (* The hyperbolic sine. *)
  val sinh : real -> real
  (* The hyperbolic cosine. *)
  val cosh : real -> real
  (* The hyperbolic tangent. *)
  val tanh : real -> real
end

structure Math : MATH =
struct
  type real = real
  val pi = 3.14159265358979323846
  val e = 2.7182818284590452354
  val sqrt = PrimReals'.real_sqrt
  val sin = PrimReals'.real_sin
  val cos = PrimReals'.real_cos
  val tan = PrimReals'.real_tan
  val asin = PrimReals'.real_asin
  val acos = PrimReals'.real_acos
  val atan = PrimReals'.real_atan
  val atan2 = PrimReals'.real_atan2
  val exp = PrimReals'.real_exp
  val pow = PrimReals'.real_pow
  val ln = PrimReals'.real_ln
  val log10 = PrimReals'.real_log10
  val sinh = PrimReals'.real_sinh
  val cosh = PrimReals'.real_cosh
  val tanh = PrimReals'.real_tanh
end

(* What the processor does with reals. *)
signature IEEE_REAL =
sig
  exception Unordered
  datatype real_order = LESS | EQUAL | GREATER | UNORDERED
  datatype float_class = NAN | INF | ZERO | NORMAL | SUBNORMAL
  datatype rounding_mode = TO_NEAREST | TO_NEGINF | TO_POSINF | TO_ZERO

  (* Sets how operations round, for the worker that runs the caller. *)
  val setRoundingMode : rounding_mode -> unit
  (* How operations round, on the worker that runs the caller. *)
  val getRoundingMode : unit -> rounding_mode

  (* the number sign 0.digits * 10^exp; no digits for zero, infinity and nan *)
  type decimal_approx = {class : float_class, sign : bool, digits : int list, exp : int}
  (* The approximation as a text, as 0.15E2, with ~ before a number below 0; `inf` and `nan` for what is none. *)
  val toString : decimal_approx -> string
  (* Reads such a text after white space; NONE when there is none. *)
  val scan : (char, 'a) StringCvt.reader -> (decimal_approx, 'a) StringCvt.reader
  (* Reads such a text from the start, after white space; NONE when there is none. *)
  val fromString : string -> decimal_approx option
end

structure IEEEReal : IEEE_REAL =
struct
  exception Unordered
  datatype real_order = LESS | EQUAL | GREATER | UNORDERED
  datatype float_class = NAN | INF | ZERO | NORMAL | SUBNORMAL
  datatype rounding_mode = TO_NEAREST | TO_NEGINF | TO_POSINF | TO_ZERO

  local
    val get = PrimReals'.real_get_rounding
    val set = PrimReals'.real_set_rounding
  in
    fun setRoundingMode mode =
      set (case mode of TO_NEAREST => 0 | TO_NEGINF => 1 | TO_POSINF => 2 | TO_ZERO => 3)
    fun getRoundingMode () =
      case get () of
        0 => TO_NEAREST
      | 1 => TO_NEGINF
      | 2 => TO_POSINF
      | _ => TO_ZERO
  end

  type decimal_approx = {class : float_class, sign : bool, digits : int list, exp : int}

  fun toString ({class, sign, digits, exp} : decimal_approx) =
    let
      val number =
        case class of
          NAN => "nan"
        | INF => "inf"
        | ZERO => "0.0"
        | _ =>
            "0."
            ^ implode (List.map Digits'.digit digits)
            ^ (if exp = 0 then "" else "E" ^ Int.toString exp)
    in
      if sign then "~" ^ number else number
    end

  fun sign getc src =
    case getc src of
      SOME (#"~", rest) => (true, rest)
    | SOME (#"-", rest) => (true, rest)
    | SOME (#"+", rest) => (false, rest)
    | _ => (false, src)

  (* decimal digits as values, last first *)
  fun digits getc (src, l) =
    case getc src of
      SOME (c, rest) => if Char.isDigit c then digits getc (rest, ord c - 48 :: l) else (src, l)
    | NONE => (src, l)

  (* a word in either case *)
  fun word getc ([], src) = SOME src
    | word getc (c :: cs, src) =
        case getc src of
          SOME (d, rest) => if Char.toLower d = c then word getc (cs, rest) else NONE
        | NONE => NONE

  (* the digits of an exponent, least first *)
  fun value (negative, ds) =
    List.foldr (fn (d, n) => if negative then 10 * n - d else 10 * n + d) 0 ds

  fun scan getc src =
    let
      val (negative, src) = sign getc (StringCvt.skipWS getc src)
      fun special class = {class = class, sign = negative, digits = [], exp = 0}
      fun dropZeros (0 :: l) = dropZeros l
        | dropZeros l = l
      fun number src =
        let
          val (afterWhole, whole) = digits getc (src, [])
          val (afterFraction, fraction) =
            case getc afterWhole of
              SOME (#".", rest) =>
                let
                  val (rest', l) = digits getc (rest, [])
                in
                  if null l then (afterWhole, []) else (rest', l)
                end
            | _ => (afterWhole, [])
          (* NONE: more than an int holds, which is more than a real can have *)
          val (exponent, src', isSmall) =
            case getc afterFraction of
              SOME (c, rest) =>
                if c = #"e" orelse c = #"E" then
                  let
                    val (negative, rest) = sign getc rest
                    val (rest', ds) = digits getc (rest, [])
                  in
                    if null ds then (SOME 0, afterFraction, false)
                    else (SOME (value (negative, ds)) handle Overflow => NONE, rest', negative)
                  end
                else (SOME 0, afterFraction, false)
            | NONE => (SOME 0, afterFraction, false)
          (* most significant first, without zeros at either end *)
          val all = dropZeros (List.revAppend (dropZeros (fraction @ whole), []))
          val leading = List.length (dropZeros (List.rev whole))
          fun zerosInFront (0 :: l, n) = zerosInFront (l, n + 1)
            | zerosInFront (_, n) = n
          val point = if leading > 0 then leading else ~ (zerosInFront (List.rev fraction, 0))
        in
          if null whole andalso null fraction then NONE
          else if null all then SOME (special ZERO, src')
          else
            case Option.map (fn e => point + e) exponent handle Overflow => NONE of
              SOME exp => SOME ({class = NORMAL, sign = negative, digits = all, exp = exp}, src')
            | NONE => SOME (special (if isSmall then ZERO else INF), src')
        end
    in
      case word getc ([#"i", #"n", #"f"], src) of
        SOME rest =>
          SOME (special INF, getOpt (word getc ([#"i", #"n", #"i", #"t", #"y"], rest), rest))
      | NONE =>
          case word getc ([#"n", #"a", #"n"], src) of
            SOME rest => SOME (special NAN, rest)
          | NONE => number src
    end

  fun fromString s = StringCvt.scanString scan s
end

structure LargeReal =
struct
  type real = real
end

signature REAL =
sig
  type real
  structure Math : MATH where type real = real

  (* The base of the representation. *)
  val radix : int
  (* How many digits in that base a number has. *)
  val precision : int
  (* The largest number that is finite. *)
  val maxFinite : real
  (* The least number above 0. *)
  val minPos : real
  (* The least number above 0 that has all its digits. *)
  val minNormalPos : real
  (* Positive infinity. *)
  val posInf : real
  (* Negative infinity. *)
  val negInf : real
  (* The sum. NaN of infinities with opposite signs. *)
  val + : real * real -> real
  (* The difference. NaN of infinities with the same sign. *)
  val - : real * real -> real
  (* The product. NaN of 0 and an infinity. *)
  val * : real * real -> real
  (* The quotient. An infinity when only the second is 0, NaN when both are; it does not raise Div. *)
  val / : real * real -> real
  (* What is left of the first by the second, with the quotient rounded to zero; it has the sign of the first. *)
  val rem : real * real -> real
  (* `*+ (a, b, c)` is a * b + c. *)
  val *+ : real * real * real -> real
  (* `*- (a, b, c)` is a * b - c. *)
  val *- : real * real * real -> real
  (* The number with the other sign. *)
  val ~ : real -> real
  (* The number without its sign. *)
  val abs : real -> real
  (* The lesser one; of NaN and a number, the number. *)
  val min : real * real -> real
  (* The greater one; of NaN and a number, the number. *)
  val max : real * real -> real
  (* ~1, 0 or 1: the number is less than 0, 0, or greater. Raises Domain on NaN. *)
  val sign : real -> int
  (* Whether the sign bit is set, as also in ~0.0. *)
  val signBit : real -> bool
  (* Whether both numbers have the same sign bit. *)
  val sameSign : real * real -> bool
  (* The first number with the sign of the second. *)
  val copySign : real * real -> real
  (* The order of two numbers. Raises IEEEReal.Unordered when one of them is NaN. *)
  val compare : real * real -> order
  (* The order of two numbers, or UNORDERED when one of them is NaN. *)
  val compareReal : real * real -> IEEEReal.real_order
  (* Whether the first is less than the second; false with NaN. *)
  val < : real * real -> bool
  (* Whether the first is less than the second or equal; false with NaN. *)
  val <= : real * real -> bool
  (* Whether the first is greater than the second; false with NaN. *)
  val > : real * real -> bool
  (* Whether the first is greater than the second or equal; false with NaN. *)
  val >= : real * real -> bool
  (* Whether both are equal; false with NaN, true of 0.0 and ~0.0. *)
  val == : real * real -> bool
  (* Whether they are not equal; true with NaN. *)
  val != : real * real -> bool
  (* Whether they are equal, or one of them is NaN. *)
  val ?= : real * real -> bool
  (* Whether one of them is NaN. *)
  val unordered : real * real -> bool
  (* Whether it is neither infinite nor NaN. *)
  val isFinite : real -> bool
  (* Whether it is NaN. *)
  val isNan : real -> bool
  (* Whether it is finite, not 0, and has all its digits. *)
  val isNormal : real -> bool
  (* NaN, infinity, zero, normal, or smaller than normal. *)
  val class : real -> IEEEReal.float_class
  (* man * 2^exp with 0.5 <= |man| < 1; zeros, infinities and NaN are man themselves. *)
  val toManExp : real -> {man : real, exp : int}
  (* man * 2^exp: 0 or an infinity when it does not fit. *)
  val fromManExp : {man : real, exp : int} -> real
  (* Its whole part and its fraction, both with the number's sign. *)
  val split : real -> {whole : real, frac : real}
  (* The fraction of `split`. *)
  val realMod : real -> real
  (* The next number from the first in the direction of the second; infinities stay as they are. *)
  val nextAfter : real * real -> real
  (* The number itself. Raises Overflow on infinities, Div on NaN. *)
  val checkFloat : real -> real
  (* The number rounded down to a whole one, as a real. *)
  val realFloor : real -> real
  (* The number rounded up to a whole one, as a real. *)
  val realCeil : real -> real
  (* The number rounded to zero, to a whole one, as a real. *)
  val realTrunc : real -> real
  (* The number rounded to the nearest whole one, of two to the even one, as a real. *)
  val realRound : real -> real
  (* The number rounded down. Raises Domain on NaN, Overflow when it does not fit. *)
  val floor : real -> int
  (* The number rounded up. Raises Domain on NaN, Overflow when it does not fit. *)
  val ceil : real -> int
  (* The number rounded to zero. Raises Domain on NaN, Overflow when it does not fit. *)
  val trunc : real -> int
  (* The nearest whole number, of two the even one. Raises Domain on NaN, Overflow when it does not fit. *)
  val round : real -> int
  (* The number rounded in that way. Raises Domain on NaN, Overflow when it does not fit. *)
  val toInt : IEEEReal.rounding_mode -> real -> int
  (* The number rounded in that way. Raises Domain on NaN, Overflow on infinities. *)
  val toLargeInt : IEEEReal.rounding_mode -> real -> LargeInt.int
  (* The number as a real; rounded where it has too many digits. *)
  val fromInt : int -> real
  (* The number as a real; rounded where it has too many digits, infinite where it does not fit. *)
  val fromLargeInt : LargeInt.int -> real
  (* The number as a `LargeReal.real`. *)
  val toLarge : real -> LargeReal.real
  (* The number of a `LargeReal.real`, rounded in that way. *)
  val fromLarge : IEEEReal.rounding_mode -> LargeReal.real -> real
  (* The number as a text in that format. Raises Size when the count of digits is negative (of GEN, less than 1) or too large. *)
  val fmt : StringCvt.realfmt -> real -> string
  (* The number with up to 12 digits, as GEN (SOME 12) writes it. *)
  val toString : real -> string
  (* Reads a number after white space; NONE when there is none. A number that is too large is infinite. *)
  val scan : (char, 'a) StringCvt.reader -> (real, 'a) StringCvt.reader
  (* Reads a number from the start, after white space; what follows does not matter. NONE when there is none. *)
  val fromString : string -> real option
  (* Its shortest decimal digits that read as the same number. *)
  val toDecimal : real -> IEEEReal.decimal_approx
  (* The nearest number to these digits; NONE when one of them is not 0 to 9. *)
  val fromDecimal : IEEEReal.decimal_approx -> real option
end

(* Texts and digits of reals, for those of 64 and of 32 bits; not for users. `parse` makes the number of a text that has been
   looked at, so a text is rounded once. *)
structure RealText' =
struct
  local
    val posInf = PrimReals'.real_of_bits 0wx7FF0000000000000
  in
    fun scan parse getc src =
      let
        (* The characters of the number are kept, last first. *)
        fun digits (src, l) =
          case getc src of
            SOME (c, rest) =>
              if #"0" <= c andalso c <= #"9" then digits (rest, c :: l) else (src, l)
          | NONE => (src, l)
        (* Whether digits came behind what was there. *)
        fun endsInDigit (c :: _) = #"0" <= c andalso c <= #"9"
          | endsInDigit [] = false
        fun sign src =
          case getc src of
            SOME (#"~", rest) => (true, rest)
          | SOME (#"-", rest) => (true, rest)
          | SOME (#"+", rest) => (false, rest)
          | _ => (false, src)
        (* the rest of a word in either case *)
        fun word ([], src) = SOME src
          | word (c :: cs, src) =
              case getc src of
                SOME (d, rest) => if d = c orelse ord d = ord c - 32 then word (cs, rest) else NONE
              | NONE => NONE
        val (negative, src) = sign (StringCvt.skipWS getc src)
        fun result (x, src) = SOME (if negative then ~ x else x, src)
        fun build (text, src) = SOME (parse (implode (rev text)), src)
        (* With its sign, because the rounding mode may depend on it. *)
        fun number src =
          let
            val (afterWhole, whole) = digits (src, if negative then [#"-"] else [])
            val hasWhole = endsInDigit whole
            val whole = if hasWhole then whole else #"0" :: whole
            val (hasFraction, afterFraction, mantissa) =
              case getc afterWhole of
                SOME (#".", rest) =>
                  let
                    val (rest', mantissa) = digits (rest, #"." :: whole)
                  in
                    if endsInDigit mantissa then (true, rest', mantissa)
                    else (false, afterWhole, whole)
                  end
              | _ => (false, afterWhole, whole)
            fun exponent rest =
              let
                val (negative, rest) = sign rest
                val (rest, text) =
                  digits (rest, if negative then #"-" :: #"e" :: mantissa else #"e" :: mantissa)
              in
                build (if endsInDigit text then (text, rest) else (mantissa, afterFraction))
              end
          in
            if not (hasWhole orelse hasFraction) then NONE
            else
              case getc afterFraction of
                SOME (#"e", rest) => exponent rest
              | SOME (#"E", rest) => exponent rest
              | _ => build (mantissa, afterFraction)
          end
      in
        case getc src of
          SOME (c, rest) =>
            if c = #"i" orelse c = #"I" then
              (case word ([#"n", #"f"], rest) of
                 SOME rest =>
                   (case word ([#"i", #"n", #"i", #"t", #"y"], rest) of
                      SOME rest => result (posInf, rest)
                    | NONE => result (posInf, rest))
               | NONE => NONE)
            else if c = #"n" orelse c = #"N" then
              (case word ([#"a", #"n"], rest) of
                 SOME rest => result (posInf - posInf, rest)
               | NONE => NONE)
            else number src
        | NONE => NONE
      end

    (* As scan of the string, from place to place: what is a number is handed on as it stands. *)
    fun fromString parse s =
      let
        val n = String.size s
        fun at i = if i < n then PrimStrings'.string_sub_unsafe (s, i) else #"\000"
        fun blanks i = if i < n andalso Char.isSpace (at i) then blanks (i + 1) else i
        fun isDigit i = let val c = at i in #"0" <= c andalso c <= #"9" end
        fun digits i = if isDigit i then digits (i + 1) else i
        fun isSign #"~" = true
          | isSign #"-" = true
          | isSign #"+" = true
          | isSign _ = false
        val start = blanks 0
        val first = if isSign (at start) then start + 1 else start
        val whole = digits first
        val fraction = if at whole = #"." then digits (whole + 1) else whole
        val fraction = if fraction = whole + 1 then whole else fraction
      in
        if fraction = first then
          (* a word, or nothing *)
          if Char.isAlpha (at first) then StringCvt.scanString (scan parse) s else NONE
        else
          let
            val stop =
              if at fraction = #"e" orelse at fraction = #"E" then
                let
                  val from = if isSign (at (fraction + 1)) then fraction + 2 else fraction + 1
                  val stop = digits from
                in
                  if stop = from then fraction else stop
                end
              else fraction
            val text =
              if start = 0 andalso stop = n then s else String.substring (s, start, stop - start)
          in
            SOME (parse text)
          end
      end

    (* Of a number by its class, its sign, and the text of its magnitude in the format EXACT: 0.digitsEexp. *)
    fun toDecimal {class, sign, exact} =
      let
        fun number () =
          let
            val (front, back) = Substring.splitl (fn c => c <> #"E") (Substring.full (exact ()))
            val digits = List.map (fn c => ord c - 48) (Substring.explode (Substring.triml 2 front))
            val exp =
              if Substring.isEmpty back then 0
              else valOf (Int.fromString (Substring.string (Substring.triml 1 back)))
          in
            (digits, exp)
          end
        val (digits, exp) =
          case class of
            IEEEReal.NORMAL => number ()
          | IEEEReal.SUBNORMAL => number ()
          | _ => ([], 0)
      in
        {class = class, sign = sign, digits = digits, exp = exp}
      end

    (* whatever mode is set *)
    fun toNearest (parse, text) =
      case PrimReals'.real_get_rounding () of
        0 => parse text
      | mode =>
          let
            val () = PrimReals'.real_set_rounding 0
            val x = parse text
          in
            PrimReals'.real_set_rounding mode;
            x
          end
    fun fromDecimal parse {class, sign, digits, exp} =
      let
        fun signed x = SOME (if sign then ~ x else x)
        (* The first digit that is not 0 says how large the number is. *)
        fun fromFirst (0 :: rest, zeros) = fromFirst (rest, zeros + 1)
          | fromFirst (rest, zeros) = (rest, zeros)
        fun number () =
          if List.exists (fn d => d < 0 orelse d > 9) digits then NONE
          else
            case fromFirst (digits, 0) of
              ([], _) => signed 0.0
            | (digits, zeros) =>
                let
                  val exp = exp - zeros handle Overflow => exp
                  val exp = if exp > 100000 then 100000 else if exp < ~100000 then ~100000 else exp
                  val e = if exp < 0 then "-" ^ Int.toString (Int.abs exp) else Int.toString exp
                  val text = implode (List.map Digits'.digit digits)
                in
                  signed (toNearest (parse, String.concat ["0.", text, "e", e]))
                end
      in
        case class of
          IEEEReal.NAN =>
            SOME
              (PrimReals'.real_of_bits (if sign then 0wxFFF8000000000000 else 0wx7FF8000000000000))
        | IEEEReal.INF => signed posInf
        | IEEEReal.ZERO => signed 0.0
        | _ => number ()
      end
  end
end

structure Real : REAL =
struct
  structure Math = Math
  type real = real

  val ofBits = PrimReals'.real_of_bits
  val toBits = PrimReals'.real_to_bits

  val radix = 2
  val precision = 53
  val maxFinite = 1.7976931348623157E308
  val minPos = ofBits 0w1
  val minNormalPos = 2.2250738585072014E~308
  val posInf = ofBits 0wx7FF0000000000000
  val negInf = ofBits 0wxFFF0000000000000

  val rem = PrimReals'.real_rem
  fun *+ (a : real, b, c) = a * b + c
  fun *- (a : real, b, c) = a * b - c

  val == = PrimReals'.real_eq
  infix 4 == != ?=
  fun a != b = not (a == b)
  fun isNan x = x != x
  fun unordered (a, b) = isNan a orelse isNan b
  fun a ?= b = a == b orelse unordered (a, b)
  fun isFinite x = abs x <= maxFinite
  fun isNormal x = abs x >= minNormalPos andalso isFinite x

  fun min (a, b) = if isNan a then b else if isNan b then a else if a < b then a else b
  fun max (a, b) = if isNan a then b else if isNan b then a else if a > b then a else b
  fun signBit x = Word.>> (toBits x, 0w63) = 0w1
  fun sign x = if isNan x then raise Domain else if x == 0.0 then 0 else if x < 0.0 then ~1 else 1
  fun sameSign (a, b) = signBit a = signBit b
  fun copySign (a, b) = if sameSign (a, b) then a else ~ a
  fun compare (a : real, b) =
    if a < b then LESS
    else if a > b then GREATER
    else if a == b then EQUAL
    else raise IEEEReal.Unordered

  fun compareReal (a : real, b) =
    if a < b then IEEEReal.LESS
    else if a > b then IEEEReal.GREATER
    else if a == b then IEEEReal.EQUAL
    else IEEEReal.UNORDERED
  fun class x =
    if x == 0.0 then IEEEReal.ZERO
    else if isNormal x then IEEEReal.NORMAL
    else if isNan x then IEEEReal.NAN
    else if isFinite x then IEEEReal.SUBNORMAL
    else IEEEReal.INF

  local
    val int = PrimWords'.bits : word -> int
    val word = PrimWords'.bits : int -> word
    val mantissa = 0wxFFFFFFFFFFFFF
  in
    fun toManExp x =
      let
        val bits = toBits x
        val e = int (Word.andb (Word.>> (bits, 0w52), 0wx7FF))
        fun parts (bits, e) =
          {man = ofBits (Word.orb (Word.andb (bits, 0wx800FFFFFFFFFFFFF), 0wx3FE0000000000000)),
           exp = e - 1022}
      in
        if e = 0x7FF orelse x == 0.0 then {man = x, exp = 0}
        else if e = 0 then
          let
            (* a subnormal: scaled by 2^54 it is none *)
            val bits = toBits (x * 18014398509481984.0)
          in
            parts (bits, int (Word.andb (Word.>> (bits, 0w52), 0wx7FF)) - 54)
          end
        else parts (bits, e)
      end

    (* 2^e for e of a normal number *)
    fun twoTo e = ofBits (Word.<< (word (e + 1023), 0w52))

    (* Steps so that only the last one rounds. *)
    fun fromManExp {man, exp} =
      if man == 0.0 orelse not (isFinite man) then man
      else
        let
          val {man, exp = e} = toManExp man
          val exp = if exp > 10000 then 10000 else if exp < ~10000 then ~10000 else exp
          val e = e + exp
        in
          if e > 1024 then man * posInf
          else if e > 1000 then man * twoTo 1000 * twoTo (e - 1000)
          else if e >= ~1000 then man * twoTo e
          else if e >= ~1100 then man * twoTo ~1000 * twoTo (e + 1000)
          else man * 0.0
        end

    fun nextAfter (x, y) =
      if isNan x then x
      else if isNan y then y
      else if x == y orelse not (isFinite x) then x
      else if x == 0.0 then copySign (minPos, y)
      else ofBits (word (int (toBits x) + (if (x < y) = (x > 0.0) then 1 else ~1)))
  end

  val realFloor = PrimReals'.real_floor
  val realCeil = PrimReals'.real_ceil
  val realTrunc = PrimReals'.real_trunc
  val realRound = PrimReals'.real_round
  val unsafeToInt = PrimReals'.real_to_int_unsafe
  val fromInt = PrimReals'.real_of_int

  (* of an integral real *)
  fun toInt x =
    if x >= ~9223372036854775808.0 andalso x < 9223372036854775808.0 then unsafeToInt x
    else if isNan x then raise Domain
    else raise Overflow
  fun floor x = toInt (realFloor x)
  fun ceil x = toInt (realCeil x)
  fun trunc x = toInt (realTrunc x)
  fun round x = toInt (realRound x)

  fun whole mode =
    case mode of
      IEEEReal.TO_NEAREST => realRound
    | IEEEReal.TO_NEGINF => realFloor
    | IEEEReal.TO_POSINF => realCeil
    | IEEEReal.TO_ZERO => realTrunc
  val integral = toInt
  fun toInt mode x = integral (whole mode x)

  fun toLargeInt mode x =
    let
      val x = whole mode x
    in
      if x >= ~9223372036854775808.0 andalso x < 9223372036854775808.0 then
        IntInf.fromInt (unsafeToInt x)
      else if isNan x then raise Domain
      else if not (isFinite x) then raise Overflow
      else
        let
          val {man, exp} = toManExp x
        in
          IntInf.<<
            (IntInf.fromInt (unsafeToInt (man * 9007199254740992.0)), Word.fromInt (exp - 53))
        end
    end

  (* The leading 62 bits, the last of them set when any further one is: then the conversion rounds as the whole would.
     It gets the sign, too, because the rounding mode may depend on it. *)
  fun fromLargeInt i =
    fromInt (IntInf.toInt i)
    handle Overflow =>
        let
          val size = IntInf.abs i
          val shift = IntInf.log2 size - 61
          val count = Word.fromInt shift
          val top = IntInf.~>> (size, count)
          val lost = IntInf.<< (top, count) <> size
          val top = IntInf.toInt (if lost then IntInf.orb (top, IntInf.fromInt 1) else top)
        in
          fromManExp {man = fromInt (if IntInf.sign i < 0 then ~ top else top), exp = shift}
        end
  fun toLarge x = x
  fun fromLarge _ x = x

  fun split x =
    if isFinite x then
      let val whole = realTrunc x in {whole = whole, frac = copySign (x - whole, x)} end
    else {whole = x, frac = if isNan x then x else copySign (0.0, x)}
  fun realMod x = #frac (split x)
  fun checkFloat x =
    if isFinite x then x else if isNan x then raise Div else raise Overflow

  val format = PrimReals'.real_fmt
  fun toString x = format (x, 4, 0)

  (* GEN with more digits than the runtime makes of a real: those of SCI, laid out as the runtime does it. *)
  fun general (x, digits) =
    let
      val (mantissa, power) =
        Substring.splitl (fn c => c <> #"E") (Substring.full (format (x, 0, digits - 1)))
      val (sign, mantissa) = Substring.splitl (fn c => c = #"~") mantissa
      val shown =
        Substring.string (Substring.dropr (fn c => c = #"0") (Substring.triml 2 mantissa))
      val first = Substring.string (Substring.slice (mantissa, 0, SOME 1))
      fun zeros n = String.implode (List.tabulate (n, fn _ => #"0"))
      fun laid exponent =
        if exponent < ~4 orelse exponent >= digits then
          [first, if shown = "" then "" else ".", shown, Substring.string power]
        else if exponent < 0 then ["0.", zeros (~ exponent - 1), first, shown]
        else
          let
            val missing = exponent - String.size shown
          in
            if missing >= 0 then [first, shown, zeros missing, ".0"]
            else
              [first,
               String.substring (shown, 0, exponent),
               ".",
               String.extract (shown, exponent, NONE)]
          end
    in
      case Int.fromString (Substring.string (Substring.triml 1 power)) of
        SOME exponent => String.concat (Substring.string sign :: laid exponent)
      (* infinite, or no number *)
      | NONE => format (x, 2, digits)
    end
  fun fmt style =
    let
      fun checked (least, most, n) = if n < least orelse n > most then raise Size else n
      val (mode, digits) =
        case style of
          StringCvt.SCI NONE => (0, 6)
        | StringCvt.SCI (SOME n) => (0, checked (0, 100000, n))
        | StringCvt.FIX NONE => (1, 6)
        | StringCvt.FIX (SOME n) => (1, checked (0, 100000, n))
        | StringCvt.GEN NONE => (2, 12)
        | StringCvt.GEN (SOME n) => (2, checked (1, 100000, n))
        | StringCvt.EXACT => (3, 0)
    in
      if mode = 2 andalso digits > 17 then (fn x => general (x, digits))
      else (fn x => format (x, mode, digits))
    end

  val parse = PrimReals'.real_of_string
  fun scan getc = RealText'.scan parse getc
  val fromString = RealText'.fromString parse
  fun toDecimal x =
    RealText'.toDecimal {class = class x, sign = signBit x, exact = fn () => format (abs x, 3, 0)}
  val fromDecimal = RealText'.fromDecimal parse

  val op + = PrimReals'.real_add
  val op - = PrimReals'.real_sub
  val op * = PrimReals'.real_mul
  val op / = PrimReals'.real_div
  val op < = PrimReals'.real_lt
  val op <= = PrimReals'.real_le
  val op > = PrimReals'.real_gt
  val op >= = PrimReals'.real_ge
  val ~ = PrimReals'.real_neg
  val abs = PrimReals'.real_abs
end

val real = Real.fromInt
val floor = Real.floor
val ceil = Real.ceil
val round = Real.round
val trunc = Real.trunc

structure LargeReal : REAL = Real
structure Real64 : REAL = Real
