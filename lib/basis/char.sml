(* Char: the 256 characters of ISO 8859-1; the predicates know the ASCII half only. *)

(* For the types of CHAR and STRING, which have a `char` and a `string` of their own; the rest follows below. *)
structure Char = struct type char = char end
structure String = struct type string = string end

signature CHAR =
sig
  eqtype char
  eqtype string

  (* The character with the number 0. *)
  val minChar : char
  (* The character with the largest number. *)
  val maxChar : char
  (* The largest number of a character. *)
  val maxOrd : int
  (* The character's number. *)
  val ord : char -> int
  (* The character with that number. Raises Chr when there is none. *)
  val chr : int -> char
  (* The next character. Raises Chr at the last one. *)
  val succ : char -> char
  (* The character before. Raises Chr at the first one. *)
  val pred : char -> char
  (* The order of two characters by their numbers. *)
  val compare : char * char -> order
  (* Whether the first one's number is less than the second one's. *)
  val < : char * char -> bool
  (* Whether the first one's number is not greater than the second one's. *)
  val <= : char * char -> bool
  (* Whether the first one's number is greater than the second one's. *)
  val > : char * char -> bool
  (* Whether the first one's number is not less than the second one's. *)
  val >= : char * char -> bool
  (* Whether the character stands in the string. With the string alone it makes a function that may be used many
     times. *)
  val contains : string -> char -> bool
  (* Whether the character does not stand in the string. *)
  val notContains : string -> char -> bool
  (* Whether its number is 0 to 127. *)
  val isAscii : char -> bool
  (* The small letter of an ASCII capital; other characters stay as they are. *)
  val toLower : char -> char
  (* The capital of a small ASCII letter; other characters stay as they are. *)
  val toUpper : char -> char
  (* Whether it is an ASCII letter. *)
  val isAlpha : char -> bool
  (* Whether it is an ASCII letter or a digit. *)
  val isAlphaNum : char -> bool
  (* Whether it is an ASCII control character: its number is 0 to 31, or 127. *)
  val isCntrl : char -> bool
  (* Whether it is one of 0 to 9. *)
  val isDigit : char -> bool
  (* Whether it is an ASCII character that can be printed and is not the blank. *)
  val isGraph : char -> bool
  (* Whether it is one of 0 to 9, a to f and A to F. *)
  val isHexDigit : char -> bool
  (* Whether it is a small ASCII letter. *)
  val isLower : char -> bool
  (* Whether it is an ASCII character that can be printed, the blank included. *)
  val isPrint : char -> bool
  (* Whether it is a blank, a tab (also a vertical one), a new line, a form feed or a carriage return. *)
  val isSpace : char -> bool
  (* Whether it is printed, and neither blank, letter nor digit. *)
  val isPunct : char -> bool
  (* Whether it is an ASCII capital. *)
  val isUpper : char -> bool
  (* The character as in a literal of Standard ML: escaped when it cannot be printed. *)
  val toString : char -> String.string
  (* Reads one character, or an escape of Standard ML. NONE when there is neither. *)
  val scan : (Char.char, 'a) StringCvt.reader -> (char, 'a) StringCvt.reader
  (* Reads one character, or an escape of Standard ML, from the start; NONE when there is neither. *)
  val fromString : String.string -> char option
  (* The character as in a literal of C: escaped when it cannot be printed. *)
  val toCString : char -> String.string
  (* Reads one character, or an escape of C, from the start; NONE when there is neither. *)
  val fromCString : String.string -> char option
end

(* with what String needs besides *)
structure Char' =
struct
  type char = char
  type string = string

  val size = PrimStrings'.string_size
  val sub = PrimStrings'.string_sub_unsafe
  val concat2 = PrimStrings'.string_concat
  val ofChars = PrimArrays'.array_new : int * char -> char array
  val freeze = PrimArrays'.cast : char array -> string

  val ord = PrimWords'.bits : char -> int
  val unsafeChr = PrimWords'.bits : int -> char

  val minChar = #"\000"
  val maxChar = #"\255"
  val maxOrd = 255

  fun chr i = if i < 0 orelse i > maxOrd then raise Chr else unsafeChr i
  fun succ c = if c = maxChar then raise Chr else unsafeChr (ord c + 1)
  fun pred c = if c = minChar then raise Chr else unsafeChr (ord c - 1)

  fun compare (a : char, b : char) = if a < b then LESS else if a = b then EQUAL else GREATER

  fun contains s c =
    let
      val n = size s
      fun go i = i < n andalso (sub (s, i) = c orelse go (i + 1))
    in
      go 0
    end
  fun notContains s c = not (contains s c)

  fun isAscii c = c <= #"\127"
  fun isUpper c = #"A" <= c andalso c <= #"Z"
  fun isLower c = #"a" <= c andalso c <= #"z"
  fun isDigit c = #"0" <= c andalso c <= #"9"
  fun isAlpha c = isUpper c orelse isLower c
  fun isAlphaNum c = isAlpha c orelse isDigit c
  fun isHexDigit c =
    isDigit c orelse (#"a" <= c andalso c <= #"f") orelse (#"A" <= c andalso c <= #"F")
  fun isCntrl c = c < #" " orelse c = #"\127"
  fun isGraph c = #"!" <= c andalso c <= #"~"
  fun isPrint c = #" " <= c andalso c <= #"~"
  fun isPunct c = isGraph c andalso not (isAlphaNum c)
  fun isSpace c = c = #" " orelse (#"\t" <= c andalso c <= #"\r")

  fun toLower c = if isUpper c then unsafeChr (ord c + 32) else c
  fun toUpper c = if isLower c then unsafeChr (ord c - 32) else c

  fun str c = freeze (ofChars (1, c))
  fun digit n = unsafeChr (ord #"0" + n)

  (* three digits in a base *)
  fun three (base, n) =
    concat2 (str (digit (n div (base * base))),
             concat2 (str (digit (n div base mod base)), str (digit (n mod base))))

  fun toString c =
    case c of
      #"\\" => "\\\\"
    | #"\"" => "\\\""
    | #"\a" => "\\a"
    | #"\b" => "\\b"
    | #"\t" => "\\t"
    | #"\n" => "\\n"
    | #"\v" => "\\v"
    | #"\f" => "\\f"
    | #"\r" => "\\r"
    | _ =>
        if isPrint c then str c
        else if ord c < 32 then concat2 ("\\^", str (unsafeChr (ord c + 64)))
        else concat2 ("\\", three (10, ord c))

  fun toCString c =
    case c of
      #"\\" => "\\\\"
    | #"\"" => "\\\""
    | #"?" => "\\?"
    | #"'" => "\\'"
    | #"\a" => "\\a"
    | #"\b" => "\\b"
    | #"\t" => "\\t"
    | #"\n" => "\\n"
    | #"\v" => "\\v"
    | #"\f" => "\\f"
    | #"\r" => "\\r"
    | _ => if isPrint c then str c else concat2 ("\\", three (8, ord c))

  (* the value of a digit, or something too large for any base *)
  fun value c =
    if isDigit c then ord c - ord #"0"
    else if #"a" <= c andalso c <= #"f" then ord c - ord #"a" + 10
    else if #"A" <= c andalso c <= #"F" then ord c - ord #"A" + 10
    else 99

  (* exactly n digits in a base, a character when the number is one *)
  fun digits getc (base, n, src) =
    let
      fun go (0, code, src) = if code <= maxOrd then SOME (unsafeChr code, src) else NONE
        | go (n, code, src) =
            case getc src of
              SOME (c, src) =>
                if value c < base then go (n - 1, code * base + value c, src) else NONE
            | NONE => NONE
    in
      go (n, 0, src)
    end

  (* what stands after a backslash in Standard ML *)
  fun escape getc src =
    case getc src of
      NONE => NONE
    | SOME (c, rest) =>
        case c of
          #"a" => SOME (#"\a", rest)
        | #"b" => SOME (#"\b", rest)
        | #"t" => SOME (#"\t", rest)
        | #"n" => SOME (#"\n", rest)
        | #"v" => SOME (#"\v", rest)
        | #"f" => SOME (#"\f", rest)
        | #"r" => SOME (#"\r", rest)
        | #"\\" => SOME (#"\\", rest)
        | #"\"" => SOME (#"\"", rest)
        | #"^" =>
            (case getc rest of
               SOME (c, rest) =>
                 if #"@" <= c andalso c <= #"_" then SOME (unsafeChr (ord c - 64), rest) else NONE
             | NONE => NONE)
        | #"u" => digits getc (16, 4, rest)
        | _ => if isDigit c then digits getc (10, 3, src) else NONE

  (* behind a gap: white space between backslashes, which stands for nothing *)
  fun gap getc src =
    case getc src of
      SOME (#"\\", rest) =>
        (case getc rest of
           SOME (c, _) =>
             if isSpace c then
               case getc (StringCvt.dropl isSpace getc rest) of
                 SOME (#"\\", rest) => SOME rest
               | _ => NONE
             else NONE
         | NONE => NONE)
    | _ => NONE
  fun skipGap getc src =
    case gap getc src of
      SOME rest => skipGap getc rest
    | NONE => src

  fun scan getc src =
    let
      val src = skipGap getc src
    in
      case getc src of
        SOME (#"\\", rest) =>
          (case escape getc rest of
             SOME (c, rest) => SOME (c, skipGap getc rest)
           | NONE => NONE)
      | SOME (c, rest) => if isPrint c andalso c <> #"\"" then SOME (c, skipGap getc rest) else NONE
      | NONE => NONE
    end

  fun fromString s = StringCvt.scanString scan s

  fun scanC getc src =
    case getc src of
      SOME (#"\\", rest) =>
        (case getc rest of
           SOME (#"?", rest) => SOME (#"?", rest)
         | SOME (#"'", rest) => SOME (#"'", rest)
         | SOME (#"^", rest) => escape getc (case getc src of SOME (_, r) => r | NONE => rest)
         | SOME (#"x", rest) =>
             let
               fun go (code, count, src) =
                 case getc src of
                   SOME (c, next) =>
                     if value c < 16 andalso code <= maxOrd then
                       go (code * 16 + value c, count + 1, next)
                     else (code, count, src)
                 | NONE => (code, count, src)
               val (code, count, src) = go (0, 0, rest)
             in
               if count = 0 orelse code > maxOrd then NONE else SOME (unsafeChr code, src)
             end
         | SOME (c, _) =>
             if value c < 8 then
               let
                 fun go (0, code, src) = (code, src)
                   | go (n, code, src) =
                       case getc src of
                         SOME (c, next) =>
                           if value c < 8 then go (n - 1, code * 8 + value c, next) else (code, src)
                       | NONE => (code, src)
                 val (code, src) = go (3, 0, rest)
               in
                 if code > maxOrd then NONE else SOME (unsafeChr code, src)
               end
             else if c = #"u" then NONE
             else escape getc rest
         | NONE => NONE)
    (* A quote that no backslash is before stands for itself. *)
    | SOME (c, rest) => if isPrint c then SOME (c, rest) else NONE
    | NONE => NONE

  fun fromCString s = StringCvt.scanString scanC s

  val op < = PrimChars'.char_lt
  val op <= = PrimChars'.char_le
  val op > = PrimChars'.char_gt
  val op >= = PrimChars'.char_ge
end

structure Char : CHAR = Char'

type char = Char.char
val ord = Char.ord
val chr = Char.chr
