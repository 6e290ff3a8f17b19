(* Real and Math: 64-bit IEEE numbers. *)

signature MATH =
sig
  type real
  val pi : real
  val e : real
  val sqrt : real -> real
  val sin : real -> real
  val cos : real -> real
  val tan : real -> real
  val asin : real -> real
  val acos : real -> real
  val atan : real -> real
  val atan2 : real * real -> real
  val exp : real -> real
  val pow : real * real -> real
  val ln : real -> real
  val log10 : real -> real
  val sinh : real -> real
  val cosh : real -> real
  val tanh : real -> real
end

structure Math : MATH =
struct
  type real = real
  val pi = 3.14159265358979323846
  val e = 2.7182818284590452354
  val sqrt = _prim "real_sqrt" : real -> real
  val sin = _prim "real_sin" : real -> real
  val cos = _prim "real_cos" : real -> real
  val tan = _prim "real_tan" : real -> real
  val asin = _prim "real_asin" : real -> real
  val acos = _prim "real_acos" : real -> real
  val atan = _prim "real_atan" : real -> real
  val atan2 = _prim "real_atan2" : real * real -> real
  val exp = _prim "real_exp" : real -> real
  val pow = _prim "real_pow" : real * real -> real
  val ln = _prim "real_ln" : real -> real
  val log10 = _prim "real_log10" : real -> real
  val sinh = _prim "real_sinh" : real -> real
  val cosh = _prim "real_cosh" : real -> real
  val tanh = _prim "real_tanh" : real -> real
end

signature REAL =
sig
  type real
  structure Math : MATH where type real = real

  val radix : int
  val precision : int
  val maxFinite : real
  val minPos : real
  val minNormalPos : real
  val posInf : real
  val negInf : real
  val + : real * real -> real
  val - : real * real -> real
  val * : real * real -> real
  val / : real * real -> real
  val rem : real * real -> real
  (* a * b + c, a * b - c *)
  val *+ : real * real * real -> real
  val *- : real * real * real -> real
  val ~ : real -> real
  val abs : real -> real
  val min : real * real -> real
  val max : real * real -> real
  (* raises Domain on nan *)
  val sign : real -> int
  val signBit : real -> bool
  val sameSign : real * real -> bool
  val copySign : real * real -> real
  (* raises Domain (the specification's Unordered) on nan *)
  val compare : real * real -> order
  val < : real * real -> bool
  val <= : real * real -> bool
  val > : real * real -> bool
  val >= : real * real -> bool
  val == : real * real -> bool
  val != : real * real -> bool
  (* equal or unordered *)
  val ?= : real * real -> bool
  val unordered : real * real -> bool
  val isFinite : real -> bool
  val isNan : real -> bool
  val isNormal : real -> bool
  val realFloor : real -> real
  val realCeil : real -> real
  val realTrunc : real -> real
  val realRound : real -> real
  (* these four raise Domain on nan and Overflow out of range; round takes ties to even *)
  val floor : real -> int
  val ceil : real -> int
  val trunc : real -> int
  val round : real -> int
  val fromInt : int -> real
  (* whole and fraction, both with the number's sign *)
  val split : real -> {whole : real, frac : real}
  val realMod : real -> real
  (* raise Overflow on infinities, Div on nan where the specification says *)
  val checkFloat : real -> real
  val fmt : StringCvt.realfmt -> real -> string
  val toString : real -> string
  val scan : (char, 'a) StringCvt.reader -> (real, 'a) StringCvt.reader
  val fromString : string -> real option
end

structure Real : REAL =
struct
  structure Math = Math
  type real = real

  val ofBits = _prim "real_of_bits" : word -> real
  val toBits = _prim "real_to_bits" : real -> word

  val radix = 2
  val precision = 53
  val maxFinite = 1.7976931348623157E308
  val minPos = ofBits 0w1
  val minNormalPos = 2.2250738585072014E~308
  val posInf = ofBits 0wx7FF0000000000000
  val negInf = ofBits 0wxFFF0000000000000

  val rem = _prim "real_rem" : real * real -> real
  fun *+ (a : real, b, c) = a * b + c
  fun *- (a : real, b, c) = a * b - c

  val == = _prim "real_eq" : real * real -> bool
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
    if a < b then LESS else if a > b then GREATER else if a == b then EQUAL else raise Domain

  val realFloor = _prim "real_floor" : real -> real
  val realCeil = _prim "real_ceil" : real -> real
  val realTrunc = _prim "real_trunc" : real -> real
  val realRound = _prim "real_round" : real -> real
  val unsafeToInt = _prim "real_to_int_unsafe" : real -> int
  val fromInt = _prim "real_of_int" : int -> real

  (* of an integral real *)
  fun toInt x =
    if x >= ~9223372036854775808.0 andalso x < 9223372036854775808.0 then unsafeToInt x
    else if isNan x then raise Domain
    else raise Overflow
  fun floor x = toInt (realFloor x)
  fun ceil x = toInt (realCeil x)
  fun trunc x = toInt (realTrunc x)
  fun round x = toInt (realRound x)

  fun split x =
    if isFinite x then let val whole = realTrunc x in {whole = whole, frac = copySign (x - whole, x)} end
    else {whole = x, frac = if isNan x then x else copySign (0.0, x)}
  fun realMod x = #frac (split x)
  fun checkFloat x =
    if isFinite x then x else if isNan x then raise Div else raise Overflow

  val format = _prim "real_fmt" : real * int * int -> string
  fun toString x = format (x, 4, 0)
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
      fn x => format (x, mode, digits)
    end

  val parse = _prim "real_of_string" : string -> real

  fun scan getc src =
    let
      fun digits (src, l) =
        case getc src of
          SOME (c, rest) => if #"0" <= c andalso c <= #"9" then digits (rest, c :: l) else (src, l)
        | NONE => (src, l)
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
      (* the digits are kept last first *)
      fun number src =
        let
          val (afterWhole, whole) = digits (src, [])
          val (afterFraction, fraction) =
            case getc afterWhole of
              SOME (#".", rest) =>
                let val (rest', fraction) = digits (rest, [])
                in if null fraction then (afterWhole, []) else (rest', fraction) end
            | _ => (afterWhole, [])
        in
          if null whole andalso null fraction then NONE
          else
            let
              fun exponent src =
                let
                  val (negative, rest) = sign src
                  val (rest', ds) = digits (rest, [])
                in
                  if null ds then NONE else SOME (negative, ds, rest')
                end
              val mantissa =
                if null fraction then (if null whole then [#"0"] else rev whole)
                else (if null whole then [#"0"] else rev whole) @ (#"." :: rev fraction)
              fun build (exponentPart, src) = result (parse (implode (mantissa @ exponentPart)), src)
            in
              case getc afterFraction of
                SOME (c, rest) =>
                  if c = #"e" orelse c = #"E" then
                    (case exponent rest of
                       SOME (negative, ds, rest) =>
                         build (#"e" :: (if negative then #"-" :: rev ds else rev ds), rest)
                     | NONE => build ([], afterFraction))
                  else build ([], afterFraction)
              | NONE => build ([], afterFraction)
            end
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

  fun fromString s = StringCvt.scanString scan s

  val op + = _prim "real_add" : real * real -> real
  val op - = _prim "real_sub" : real * real -> real
  val op * = _prim "real_mul" : real * real -> real
  val op / = _prim "real_div" : real * real -> real
  val op < = _prim "real_lt" : real * real -> bool
  val op <= = _prim "real_le" : real * real -> bool
  val op > = _prim "real_gt" : real * real -> bool
  val op >= = _prim "real_ge" : real * real -> bool
  val ~ = _prim "real_neg" : real -> real
  val abs = _prim "real_abs" : real -> real
end

val real = Real.fromInt
val floor = Real.floor
val ceil = Real.ceil
val round = Real.round
val trunc = Real.trunc
