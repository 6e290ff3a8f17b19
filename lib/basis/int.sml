(* Int: 64-bit integers; arithmetic raises Overflow. *)

(* the default int type, where a signature hides its name *)
type int' = int

(* Its operations come with IntInf. *)
structure LargeInt =
struct
  type int = intinf
end

signature INTEGER =
sig
  eqtype int

  (* The bits of a number, the sign included; NONE when numbers have no limit. *)
  val precision : int' option
  (* The least number, or NONE when there is no limit. *)
  val minInt : int option
  (* The largest number, or NONE when there is no limit. *)
  val maxInt : int option
  (* The number as an `Int.int`. Raises Overflow when it does not fit. *)
  val toInt : int -> int'
  (* The number of an `Int.int`. Raises Overflow when it does not fit. *)
  val fromInt : int' -> int
  (* The number as a `LargeInt.int`, which all numbers fit. *)
  val toLarge : int -> LargeInt.int
  (* The number of a `LargeInt.int`. Raises Overflow when it does not fit. *)
  val fromLarge : LargeInt.int -> int
  (* The sum. Raises Overflow when it does not fit. *)
  val + : int * int -> int
  (* The difference. Raises Overflow when it does not fit. *)
  val - : int * int -> int
  (* The product. Raises Overflow when it does not fit. *)
  val * : int * int -> int
  (* The quotient, rounded down. Raises Div when the second is 0, Overflow when the quotient does not fit. *)
  val div : int * int -> int
  (* What `div` leaves; it has the sign of the second. Raises Div when the second is 0. *)
  val mod : int * int -> int
  (* The quotient, rounded to zero. Raises Div when the second is 0, Overflow when the quotient does not fit. *)
  val quot : int * int -> int
  (* What `quot` leaves; it has the sign of the first. Raises Div when the second is 0. *)
  val rem : int * int -> int
  (* The order of two numbers. *)
  val compare : int * int -> order
  (* Whether the first is less than the second. *)
  val < : int * int -> bool
  (* Whether the first is less than the second or equal. *)
  val <= : int * int -> bool
  (* Whether the first is greater than the second. *)
  val > : int * int -> bool
  (* Whether the first is greater than the second or equal. *)
  val >= : int * int -> bool
  (* The number with the other sign. Raises Overflow when it does not fit. *)
  val ~ : int -> int
  (* The number without its sign. Raises Overflow when it does not fit. *)
  val abs : int -> int
  (* The lesser one. *)
  val min : int * int -> int
  (* The greater one. *)
  val max : int * int -> int
  (* ~1, 0 or 1: the number is less than 0, 0, or greater. *)
  val sign : int -> int'
  (* Whether both numbers have the same `sign`. *)
  val sameSign : int * int -> bool
  (* The digits in that base, with ~ before a number below 0. *)
  val fmt : StringCvt.radix -> int -> string
  (* The digits in base 10, with ~ before a number below 0. *)
  val toString : int -> string
  (* Reads a number in that base after white space: ~, - or + may precede it, and 0x in base 16. NONE when there is
     none; raises Overflow when it does not fit. *)
  val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (int, 'a) StringCvt.reader
  (* Reads a number in base 10 from the start, after white space; what follows does not matter. NONE when there is
     none; raises Overflow when it does not fit. *)
  val fromString : string -> int option
end

(* Digits in any radix; not for users. *)
structure Digits' =
struct
  fun base StringCvt.BIN = 2
    | base StringCvt.OCT = 8
    | base StringCvt.DEC = 10
    | base StringCvt.HEX = 16

  val unsafeChr = PrimWords'.bits : int -> char
  fun digit n = unsafeChr (if n < 10 then n + 48 else n + 55)

  (* the digit's value, or 99 *)
  fun value c =
    if #"0" <= c andalso c <= #"9" then ord c - 48
    else if #"a" <= c andalso c <= #"f" then ord c - 87
    else if #"A" <= c andalso c <= #"F" then ord c - 55
    else 99
end

structure Int : INTEGER =
struct
  (* with what it is in C, `int`, as an abbreviation of this name would not be *)
  datatype int = datatype int

  val precision = SOME 64
  val minInt = SOME ~9223372036854775808
  val maxInt = SOME 9223372036854775807
  fun toInt i = i
  fun fromInt i = i
  local
    datatype intinf = datatype intinf
  in
    val toLarge = Small'
    fun fromLarge (Small' i) = i
      | fromLarge _ = raise Overflow
  end

  val quot = PrimInts'.int_quot
  val rem = PrimInts'.int_rem

  fun compare (a : int, b) = if a < b then LESS else if a = b then EQUAL else GREATER
  fun min (a : int, b) = if a < b then a else b
  fun max (a : int, b) = if a > b then a else b
  fun sign i = if i < 0 then ~1 else if i = 0 then 0 else 1
  fun sameSign (a, b) = sign a = sign b

  val toString = PrimInts'.int_to_string

  fun fmt StringCvt.DEC i = toString i
    | fmt radix i =
        let
          val base = Digits'.base radix
          (* of a negative number, so that the least one has no special case *)
          fun go (0, l) = l
            | go (i, l) = go (quot (i, base), Digits'.digit (~ (rem (i, base))) :: l)
        in
          if i = 0 then "0"
          else if i < 0 then implode (#"~" :: go (i, []))
          else implode (go (~ i, []))
        end

  fun scan radix getc src =
    let
      val base = Digits'.base radix
      (* accumulates a negative number *)
      fun more (src, acc) =
        case getc src of
          SOME (c, rest) =>
            let
              val v = Digits'.value c
            in
              if v < base then more (rest, acc * base - v) else (acc, src)
            end
        | NONE => (acc, src)
      (* likewise, from what getc gives on; NONE without digits *)
      fun digits NONE = NONE
        | digits (SOME (c, rest)) =
            let
              val v = Digits'.value c
            in
              if v < base then SOME (more (rest, ~v)) else NONE
            end
      (* hexadecimal numbers may start with 0x; a lone 0 is a number too *)
      fun number next =
        case (radix, next) of
          (StringCvt.HEX, SOME (#"0", rest)) =>
            let
              val found =
                case getc rest of
                  SOME (#"x", rest) => digits (getc rest)
                | SOME (#"X", rest) => digits (getc rest)
                | next => digits next
            in
              case found of
                NONE => SOME (0, rest)
              | _ => found
            end
        | _ => digits next
      fun negate NONE = NONE
        | negate (SOME (i, src)) = SOME (~ i, src)
      fun start src =
        case getc src of
          NONE => NONE
        | next as SOME (c, rest) =>
            if Char.isSpace c then start rest
            else
              case c of
                #"~" => number (getc rest)
              | #"-" => number (getc rest)
              | #"+" => negate (number (getc rest))
              | _ => negate (number next)
    in
      start src
    end

  (* what scanning the string gives, without a reader in between *)
  fun fromString s =
    let
      val sub = PrimStrings'.string_sub_unsafe
      val n = size s
      fun spaces i = if i < n andalso Char.isSpace (sub (s, i)) then spaces (i + 1) else i
      (* accumulates a negative number *)
      fun digits (i, acc) =
        if i < n andalso Char.isDigit (sub (s, i)) then
          digits (i + 1, acc * 10 - (ord (sub (s, i)) - 48))
        else acc
      fun number (i, negative) =
        if i < n andalso Char.isDigit (sub (s, i)) then
          let val x = digits (i, 0) in SOME (if negative then x else ~ x) end
        else NONE
      val start = spaces 0
    in
      if start = n then NONE
      else
        case sub (s, start) of
          #"~" => number (start + 1, true)
        | #"-" => number (start + 1, true)
        | #"+" => number (start + 1, false)
        | _ => number (start, false)
    end

  val op + = PrimInts'.int_add
  val op - = PrimInts'.int_sub
  val op * = PrimInts'.int_mul
  val op div = PrimInts'.int_div
  val op mod = PrimInts'.int_mod
  val op < = PrimInts'.int_lt
  val op <= = PrimInts'.int_le
  val op > = PrimInts'.int_gt
  val op >= = PrimInts'.int_ge
  val ~ = PrimInts'.int_neg
  val abs = PrimInts'.int_abs
end
