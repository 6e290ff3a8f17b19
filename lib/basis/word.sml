(* Word: 64 bits, arithmetic modulo 2^64. *)

(* the default word type, where a signature hides its name *)
type word' = word

structure LargeWord =
struct
  datatype word = datatype word64
end

signature WORD =
sig
  eqtype word

  (* The bits of a word. *)
  val wordSize : int
  (* The word as a number without sign. Raises Overflow when it does not fit. *)
  val toInt : word -> int
  (* The word as a number with a sign, in two's complement. Raises Overflow when it does not fit. *)
  val toIntX : word -> int
  (* The lowest bits of a number, in two's complement. It raises nothing. *)
  val fromInt : int -> word
  (* The word, with zeros above. *)
  val toLarge : word -> LargeWord.word
  (* The word, with its highest bit repeated above. *)
  val toLargeX : word -> LargeWord.word
  (* The name of 1997 for `toLarge`. *)
  val toLargeWord : word -> LargeWord.word
  (* The name of 1997 for `toLargeX`. *)
  val toLargeWordX : word -> LargeWord.word
  (* The lowest bits of a large word. *)
  val fromLarge : LargeWord.word -> word
  (* The name of 1997 for `fromLarge`. *)
  val fromLargeWord : LargeWord.word -> word
  (* The word as a number without sign. Raises Overflow when it does not fit. *)
  val toLargeInt : word -> LargeInt.int
  (* The word as a number with a sign, in two's complement. *)
  val toLargeIntX : word -> LargeInt.int
  (* The lowest bits of a number, in two's complement. It raises nothing. *)
  val fromLargeInt : LargeInt.int -> word
  (* And of all bits. *)
  val andb : word * word -> word
  (* Or of all bits. *)
  val orb : word * word -> word
  (* Exclusive or of all bits. *)
  val xorb : word * word -> word
  (* All bits inverted. *)
  val notb : word -> word
  (* Moves the bits n to the left, with zeros behind them; all are zero when n is the word's size or more. *)
  val << : word * word' -> word
  (* Moves the bits n to the right, with zeros before them; all are zero when n is the word's size or more. *)
  val >> : word * word' -> word
  (* Moves the bits n to the right, with the highest bit repeated before them. *)
  val ~>> : word * word' -> word
  (* The sum, without what does not fit: it raises nothing. *)
  val + : word * word -> word
  (* The difference; below 0 it goes on from the largest word. It raises nothing. *)
  val - : word * word -> word
  (* The product, without what does not fit: it raises nothing. *)
  val * : word * word -> word
  (* The quotient of numbers without signs, rounded down. Raises Div when the second is 0. *)
  val div : word * word -> word
  (* What `div` leaves. Raises Div when the second is 0. *)
  val mod : word * word -> word
  (* The order of two words, as numbers without signs. *)
  val compare : word * word -> order
  (* Whether the first is, without signs, less than the second. *)
  val < : word * word -> bool
  (* Whether the first is, without signs, less than the second or equal. *)
  val <= : word * word -> bool
  (* Whether the first is, without signs, greater than the second. *)
  val > : word * word -> bool
  (* Whether the first is, without signs, greater than the second or equal. *)
  val >= : word * word -> bool
  (* The word which, added to this one, gives 0. *)
  val ~ : word -> word
  (* The lesser one, of numbers without signs. *)
  val min : word * word -> word
  (* The greater one, of numbers without signs. *)
  val max : word * word -> word
  (* The digits in that base, without a mark before them. *)
  val fmt : StringCvt.radix -> word -> string
  (* The digits in base 16, in capitals, without a mark before them. *)
  val toString : word -> string
  (* Reads a word in that base after white space: 0w may precede it, in base 16 0wx, 0wX, 0x or 0X. NONE when there is
     none; raises Overflow when it does not fit. *)
  val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (word, 'a) StringCvt.reader
  (* Reads a word in base 16 from the start, after white space; what follows does not matter. NONE when there is none;
     raises Overflow when it does not fit. *)
  val fromString : string -> word option
end

structure Word : WORD =
struct
  (* with what it is in C, `unsigned`, as an abbreviation of this name would not be *)
  datatype word = datatype word

  val wordSize = 64
  val bitsToInt = PrimWords'.bits : word -> int
  val fromInt = PrimWords'.bits : int -> word
  fun toInt w = let val i = bitsToInt w in if i < 0 then raise Overflow else i end
  val toIntX = bitsToInt
  fun toLarge w = w
  fun toLargeX w = w
  fun fromLarge w = w
  val toLargeWord = toLarge
  val toLargeWordX = toLargeX
  val fromLargeWord = fromLarge
  local
    datatype intinf = datatype intinf
    val new = PrimArrays'.array_new : int * word -> word array
    val freeze = PrimArrays'.cast : word array -> word vector
    val lowest = PrimArrays'.vector_sub_unsafe : word vector * int -> word
    val negate = PrimWords'.word_neg
  in
    fun toLargeIntX w = Small' (bitsToInt w)
    fun toLargeInt w =
      let val i = bitsToInt w in if i < 0 then Pos' (freeze (new (1, w))) else Small' i end
    (* the lowest bits in two's complement *)
    fun fromLargeInt (Small' i) = fromInt i
      | fromLargeInt (Pos' m) = lowest (m, 0)
      | fromLargeInt (Neg' m) = negate (lowest (m, 0))
  end

  val andb = PrimWords'.word_and
  val orb = PrimWords'.word_or
  val xorb = PrimWords'.word_xor
  val notb = PrimWords'.word_not
  val op << = PrimWords'.word_shl
  val op >> = PrimWords'.word_shr
  val op ~>> = PrimWords'.word_sar

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
            let
              val v = Digits'.value c
            in
              if v < bitsToInt base then
                let
                  val v = fromInt v
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

  val op + = PrimWords'.word_add
  val op - = PrimWords'.word_sub
  val op * = PrimWords'.word_mul
  val op div = PrimWords'.word_div
  val op mod = PrimWords'.word_mod
  val op < = PrimWords'.word_lt
  val op <= = PrimWords'.word_le
  val op > = PrimWords'.word_gt
  val op >= = PrimWords'.word_ge
  val ~ = PrimWords'.word_neg
end

(* The same, but for what it is in foreign types: it has 64 bits there, too. *)
structure Word64 : WORD =
struct
  open Word

  datatype word = datatype word64
end
structure LargeWord : WORD = Word64
structure SysWord : WORD = Word64
