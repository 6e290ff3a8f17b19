(* Word: 64 bits, arithmetic modulo 2^64; Word8: 8 bits. *)

(* the default word type, where a signature hides its name *)
type word' = word

signature WORD =
sig
  eqtype word

  val wordSize : int
  val toInt : word -> int
  val toIntX : word -> int
  val fromInt : int -> word
  val toLargeWord : word -> word'
  val toLargeWordX : word -> word'
  val fromLargeWord : word' -> word
  val andb : word * word -> word
  val orb : word * word -> word
  val xorb : word * word -> word
  val notb : word -> word
  val << : word * word' -> word
  val >> : word * word' -> word
  val ~>> : word * word' -> word
  val + : word * word -> word
  val - : word * word -> word
  val * : word * word -> word
  val div : word * word -> word
  val mod : word * word -> word
  val compare : word * word -> order
  val < : word * word -> bool
  val <= : word * word -> bool
  val > : word * word -> bool
  val >= : word * word -> bool
  val ~ : word -> word
  val min : word * word -> word
  val max : word * word -> word
  val fmt : StringCvt.radix -> word -> string
  (* hexadecimal *)
  val toString : word -> string
  val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (word, 'a) StringCvt.reader
  val fromString : string -> word option
end

structure Word : WORD =
struct
  type word = word

  val wordSize = 64
  val bitsToInt = _prim "bits" : word -> int
  val fromInt = _prim "bits" : int -> word
  fun toInt w = let val i = bitsToInt w in if i < 0 then raise Overflow else i end
  val toIntX = bitsToInt
  fun toLargeWord w = w
  fun toLargeWordX w = w
  fun fromLargeWord w = w

  val andb = _prim "word_and" : word * word -> word
  val orb = _prim "word_or" : word * word -> word
  val xorb = _prim "word_xor" : word * word -> word
  val notb = _prim "word_not" : word -> word
  val op << = _prim "word_shl" : word * word -> word
  val op >> = _prim "word_shr" : word * word -> word
  val op ~>> = _prim "word_sar" : word * word -> word

  fun compare (a : word, b) = if a < b then LESS else if a = b then EQUAL else GREATER
  fun min (a : word, b) = if a < b then a else b
  fun max (a : word, b) = if a > b then a else b

  fun fmt radix w =
    let
      val base = fromInt (Digits'.base radix)
      fun go (0w0, l) = l
        | go (w, l) = go (w div base, Digits'.digit (bitsToInt (w mod base)) :: l)
    in
      if w = 0w0 then "0" else implode (go (w, []))
    end
  fun toString w = fmt StringCvt.HEX w

  fun scan radix getc src =
    let
      val base = fromInt (Digits'.base radix)
      val most = 0wxFFFFFFFFFFFFFFFF : word
      fun digits (src, acc : word, any) =
        case getc src of
          SOME (c, rest) =>
            let val v = Digits'.value c
            in
              if v < bitsToInt base then
                let val v = fromInt v
                in
                  if acc > (most - v) div base then raise Overflow
                  else digits (rest, acc * base + v, true)
                end
              else finish (src, acc, any)
            end
        | NONE => finish (src, acc, any)
      and finish (src, acc, any) = if any then SOME (acc, src) else NONE
      fun hex src =
        case getc src of
          SOME (x, rest) => if x = #"x" orelse x = #"X" then digits (rest, 0w0, false) else NONE
        | NONE => NONE
      (* 0w, 0wx, 0x, 0X may stand in front, each only where digits follow *)
      fun prefixed src =
        case getc src of
          SOME (#"0", rest) =>
            let
              val found =
                case (radix, getc rest) of
                  (StringCvt.HEX, SOME (#"w", rest)) => hex rest
                | (StringCvt.HEX, _) => hex rest
                | (_, SOME (#"w", rest)) => digits (rest, 0w0, false)
                | _ => NONE
            in
              case found of
                NONE => digits (src, 0w0, false)
              | _ => found
            end
        | _ => digits (src, 0w0, false)
    in
      prefixed (StringCvt.skipWS getc src)
    end
  fun fromString s = StringCvt.scanString (scan StringCvt.HEX) s

  val op + = _prim "word_add" : word * word -> word
  val op - = _prim "word_sub" : word * word -> word
  val op * = _prim "word_mul" : word * word -> word
  val op div = _prim "word_div" : word * word -> word
  val op mod = _prim "word_mod" : word * word -> word
  val op < = _prim "word_lt" : word * word -> bool
  val op <= = _prim "word_le" : word * word -> bool
  val op > = _prim "word_gt" : word * word -> bool
  val op >= = _prim "word_ge" : word * word -> bool
  val ~ = _prim "word_neg" : word -> word
end

structure Word8 : WORD =
struct
  type word = word8

  val wordSize = 8
  val toInt = _prim "bits" : word8 -> int
  val toIntX = _prim "sext8" : word8 -> int
  val fromInt = _prim "zext8" : int -> word8
  val toLargeWord = _prim "bits" : word8 -> word'
  val toLargeWordX = _prim "sext8" : word8 -> word'
  val fromLargeWord = _prim "zext8" : word' -> word8

  fun andb (a, b) = fromLargeWord (Word.andb (toLargeWord a, toLargeWord b))
  fun orb (a, b) = fromLargeWord (Word.orb (toLargeWord a, toLargeWord b))
  fun xorb (a, b) = fromLargeWord (Word.xorb (toLargeWord a, toLargeWord b))
  fun notb a = fromLargeWord (Word.notb (toLargeWord a))
  fun << (a, n) = fromLargeWord (Word.<< (toLargeWord a, n))
  fun >> (a, n) = fromLargeWord (Word.>> (toLargeWord a, n))
  fun ~>> (a, n) = fromLargeWord (Word.~>> (toLargeWordX a, n))

  fun compare (a : word8, b) = if a < b then LESS else if a = b then EQUAL else GREATER
  fun min (a : word8, b) = if a < b then a else b
  fun max (a : word8, b) = if a > b then a else b

  fun fmt radix w = Word.fmt radix (toLargeWord w)
  fun toString w = Word.toString (toLargeWord w)
  fun scan radix getc src =
    case Word.scan radix getc src of
      SOME (w, src) => if w > 0w255 then raise Overflow else SOME (fromLargeWord w, src)
    | NONE => NONE
  fun fromString s = StringCvt.scanString (scan StringCvt.HEX) s

  val op + = _prim "word8_add" : word8 * word8 -> word8
  val op - = _prim "word8_sub" : word8 * word8 -> word8
  val op * = _prim "word8_mul" : word8 * word8 -> word8
  val op div = _prim "word8_div" : word8 * word8 -> word8
  val op mod = _prim "word8_mod" : word8 * word8 -> word8
  val op < = _prim "word8_lt" : word8 * word8 -> bool
  val op <= = _prim "word8_le" : word8 * word8 -> bool
  val op > = _prim "word8_gt" : word8 * word8 -> bool
  val op >= = _prim "word8_ge" : word8 * word8 -> bool
  val ~ = _prim "word8_neg" : word8 -> word8
end
