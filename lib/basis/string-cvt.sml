(* StringCvt: reading values from streams of characters, and writing numbers. *)

signature STRING_CVT =
sig
  datatype radix = BIN | OCT | DEC | HEX
  datatype realfmt = SCI of int option | FIX of int option | GEN of int option | EXACT

  (* takes the next item off a stream that is a value *)
  type ('a, 'b) reader = 'b -> ('a * 'b) option
  type cs

  (* The string, with that character in front as often as makes it n characters long. Longer strings stay as they
     are. *)
  val padLeft : char -> int -> string -> string
  (* The string, with that character behind as often as makes it n characters long. Longer strings stay as they
     are. *)
  val padRight : char -> int -> string -> string
  (* The longest start of characters that satisfy the predicate, and the rest of the stream. *)
  val splitl : (char -> bool) -> (char, 'a) reader -> 'a -> string * 'a
  (* The longest start of characters that satisfy the predicate. *)
  val takel : (char -> bool) -> (char, 'a) reader -> 'a -> string
  (* The stream without its longest start of characters that satisfy the predicate. *)
  val dropl : (char -> bool) -> (char, 'a) reader -> 'a -> 'a
  (* The stream without the white space that it begins with. *)
  val skipWS : (char, 'a) reader -> 'a -> 'a
  (* Runs a scanner on a string; what it leaves unread does not matter. *)
  val scanString : ((char, cs) reader -> ('a, cs) reader) -> string -> 'a option
end

structure StringCvt : STRING_CVT =
struct
  datatype radix = BIN | OCT | DEC | HEX
  datatype realfmt = SCI of int option | FIX of int option | GEN of int option | EXACT

  type ('a, 'b) reader = 'b -> ('a * 'b) option
  (* how much of the string has been read *)
  type cs = int

  val size = PrimStrings'.string_size
  val sub = PrimStrings'.string_sub_unsafe
  val newChars = PrimArrays'.array_new : int * char -> char array
  val toString = PrimArrays'.cast : char array -> string
  val thaw = PrimArrays'.cast : string -> char array
  val setChar = PrimArrays'.array_update_unsafe : char array * int * char -> unit
  val copy = PrimArrays'.array_copy_unsafe : char array * int * char array * int * int -> unit

  (* n characters c, and s over those from i on *)
  fun pad (c, n, s, i) =
    let
      val a = newChars (n, c)
    in
      copy (thaw s, 0, a, i, size s);
      toString a
    end

  fun padLeft c n s = if n <= size s then s else pad (c, n, s, n - size s)
  fun padRight c n s = if n <= size s then s else pad (c, n, s, 0)

  (* a string of n characters given last first *)
  fun ofRev (n, chars) =
    let
      val a = newChars (n, #" ")
      fun fill (_, []) = ()
        | fill (i, c :: rest) = (setChar (a, i, c); fill (i - 1, rest))
    in
      fill (n - 1, chars);
      toString a
    end

  fun splitl p getc src =
    let
      fun go (src, n, chars) =
        case getc src of
          SOME (c, rest) => if p c then go (rest, n + 1, c :: chars) else (ofRev (n, chars), src)
        | NONE => (ofRev (n, chars), src)
    in
      go (src, 0, [])
    end

  fun takel p getc src = #1 (splitl p getc src)

  fun dropl p getc =
    let
      fun go src =
        case getc src of
          SOME (c, rest) => if p c then go rest else src
        | NONE => src
    in
      go
    end

  fun isSpace c = c = #" " orelse (#"\t" <= c andalso c <= #"\r")

  fun skipWS getc src = dropl isSpace getc src

  fun scanString scan s =
    let
      val n = size s
      fun getc i = if i < n then SOME (sub (s, i), i + 1) else NONE
    in
      case scan getc 0 of
        SOME (x, _) => SOME x
      | NONE => NONE
    end
end
