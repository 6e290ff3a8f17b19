(* UTF8: strings of bytes as sequences of Unicode's code points (RFC 3629).
   A wrong sequence is replaced, where that is asked for, by one U+FFFD for each maximal part that could have been the
   beginning of a right one, as the Unicode Standard recommends. *)

signature UTF8 =
sig
  type wchar = word

  val maxCodePoint : wchar
  (* The largest code point, 0x10FFFF. *)
  val replacementCodePoint : wchar
  (* The code point of the character that stands for what cannot be read, 0xFFFD. *)

  exception Incomplete
  (* The text ends within a character. *)
  exception Invalid
  (* Not UTF-8, or not a code point. *)

  datatype decode_strategy =
      STRICT
    | REPLACE
  (* Wrong input raises, or becomes the replacement character. *)

  val getWC : decode_strategy -> (char, 'strm) StringCvt.reader -> (wchar, 'strm) StringCvt.reader
  (* Reads one code point of UTF-8. Wrong input raises Incomplete or Invalid with STRICT, and gives the replacement
     character with REPLACE. *)
  val getWCStrict : (char, 'strm) StringCvt.reader -> (wchar, 'strm) StringCvt.reader
  (* `getWC STRICT`. *)
  val getu : (char, 'strm) StringCvt.reader -> (wchar, 'strm) StringCvt.reader
  (* The older name of `getWCStrict`. *)

  val encode : wchar -> string
  (* Raises Invalid for what is no code point. *)
  val isAscii : wchar -> bool
  (* Whether the code point is below 128. *)
  val toAscii : wchar -> char
  (* The low seven bits. *)
  val fromAscii : char -> wchar
  (* The code point of an ASCII character. *)
  val toString : wchar -> string
  (* Printable: a character of ASCII as in a literal of C, another one as `\u` or `\U` with its number. *)

  (* Over the code points of a string; all raise Incomplete and Invalid *)

  val size : string -> int
  (* How many code points the string has; walks the string. Raises Incomplete and Invalid. *)
  val size' : substring -> int
  (* How many code points the part of a string has; walks it. Raises Incomplete and Invalid. *)
  val explode : string -> wchar list
  (* The code points, as a list. Raises Incomplete and Invalid. *)
  val implode : wchar list -> string
  (* The string of these code points. Raises Invalid. *)
  val map : (wchar -> wchar) -> string -> string
  (* The string of what the function gives for each code point. Raises Incomplete and Invalid. *)
  val app : (wchar -> unit) -> string -> unit
  (* Calls the function on each code point. Raises Incomplete and Invalid. *)
  val fold : ((wchar * 'a) -> 'a) -> 'a -> string -> 'a
  (* From left to right: calls the function with a code point and the result so far. Raises Incomplete and Invalid. *)
  val all : (wchar -> bool) -> string -> bool
  (* Whether all code points satisfy the predicate. Raises Incomplete and Invalid. *)
  val exists : (wchar -> bool) -> string -> bool
  (* Whether a code point satisfies the predicate. Raises Incomplete and Invalid. *)
end

structure UTF8 :> UTF8 =
struct
  type wchar = word

  val maxCodePoint = 0wx10FFFF
  val replacementCodePoint = 0wxFFFD

  exception Incomplete
  exception Invalid

  datatype decode_strategy =
      STRICT
    | REPLACE

  fun isAscii w = w < 0wx80

  (* How many bytes follow a first byte, or ~1 when it is none; its own bits; and the range of the second byte, which
     excludes longer forms than needed, surrogates, and what is above the last code point. *)
  fun following b =
    if b < 0wx80 then 0
    else if b < 0wxC2 then ~1
    else if b < 0wxE0 then 1
    else if b < 0wxF0 then 2
    else if b < 0wxF5 then 3
    else ~1
  fun own (b, n) = Word.andb (b, Word.>> (0wx3F, n))
  fun least b = if b = 0wxE0 then 0wxA0 else if b = 0wxF0 then 0wx90 else 0wx80
  fun greatest b = if b = 0wxED then 0wx9F else if b = 0wxF4 then 0wx8F else 0wxBF
  fun longer (w, b) = Word.<< (w, 0w6) + Word.andb (b, 0wx3F)

  fun getWC strategy getc =
    let
      fun wrong (error, s) =
        case strategy of STRICT => raise error | REPLACE => SOME (replacementCodePoint, s)
      fun continue (0, w, _, _, s) = SOME (w, s)
        | continue (n, w, lo, hi, s) =
            (case getc s of
               NONE => wrong (Incomplete, s)
             | SOME (c, s') =>
                 let
                   val b = Word.fromInt (Char.ord c)
                 in
                   if b < lo orelse b > hi then wrong (Invalid, s)
                   else continue (n - 1, longer (w, b), 0wx80, 0wxBF, s')
                 end)
      fun begin (b, s) =
        if isAscii b then SOME (b, s)
        else
          case following b of
            ~1 => wrong (Invalid, s)
          | n => continue (n, own (b, Word.fromInt n), least b, greatest b, s)
    in
      fn s =>
        case getc s of NONE => NONE | SOME (c, s) => begin (Word.fromInt (Char.ord c), s)
    end

  fun getWCStrict getc = getWC STRICT getc
  fun getu getc = getWC STRICT getc

  (* How many bytes the code point takes. *)
  fun width w =
    if w < 0wx80 then 1
    else if w < 0wx800 then 2
    else if w < 0wx10000 then 3
    else if w <= maxCodePoint then 4
    else raise Invalid

  fun byte w = Char.chr (Word.toInt (Word.andb (w, 0wxFF)))

  val newBytes = PrimArrays'.array_new_uninit : int -> char array
  val freeze = PrimArrays'.cast : char array -> string

  (* Writes the bytes of a code point, for which there is room, and gives the place behind them. *)
  fun set (a, i, w) = PrimArrays'.array_update_unsafe (a, i, byte w)
  fun putLong (a, i, w) =
    let
      fun tail (i, w) = set (a, i, Word.orb (0wx80, Word.andb (w, 0wx3F)))
    in
      if w < 0wx800 then
        (set (a, i, Word.orb (0wxC0, Word.>> (w, 0w6)));
         tail (i + 1, w);
         i + 2)
      else if w < 0wx10000 then
        (set (a, i, Word.orb (0wxE0, Word.>> (w, 0w12)));
         tail (i + 1, Word.>> (w, 0w6));
         tail (i + 2, w);
         i + 3)
      else
        (set (a, i, Word.orb (0wxF0, Word.>> (w, 0w18)));
         tail (i + 1, Word.>> (w, 0w12));
         tail (i + 2, Word.>> (w, 0w6));
         tail (i + 3, w);
         i + 4)
    end
  fun put (a, i, w) = if isAscii w then (set (a, i, w); i + 1) else putLong (a, i, w)

  (* The string of code points, whose bytes are counted first. *)
  fun implode ws =
    let
      val a = newBytes (foldl (fn (w, n) => width w + n) 0 ws)
    in
      ignore (foldl (fn (w, i) => put (a, i, w)) 0 ws);
      freeze a
    end

  (* Likewise of those from the last one to the first, which have n bytes. *)
  fun implodeReversed (ws, n) =
    let
      val a = newBytes n
    in
      ignore (foldl (fn (w, i) => let val i = i - width w in ignore (put (a, i, w)); i end) n ws);
      freeze a
    end

  fun encode w =
    if isAscii w then str (byte w)
    else let val a = newBytes (width w) in ignore (putLong (a, 0, w)); freeze a end

  fun toAscii w = byte (Word.andb (w, 0wx7F))
  fun fromAscii c = Word.andb (Word.fromInt (Char.ord c), 0wx7F)

  fun toString w =
    let
      fun hex n = StringCvt.padLeft #"0" n (Word.toString w)
    in
      if isAscii w then Char.toCString (toAscii w)
      else if w < 0wx10000 then "\\u" ^ hex 4
      else "\\U" ^ hex 8
    end

  (* What follows does as `getWC STRICT`, without a reader: nothing is made for a code point. *)

  (* i is the place of a byte. *)
  fun byteAt (s, i) = Word.fromInt (Char.ord (PrimStrings'.string_sub_unsafe (s, i)))

  (* The code point whose first byte, which is not ASCII, is b, and the place behind it: its other bytes are at i and
     behind, and the text ends before stop. *)
  fun decode (s, i, stop, b) =
    let
      fun next (i, lo, hi) =
        if i >= stop then raise Incomplete
        else
          let
            val b = byteAt (s, i)
          in
            if b < lo orelse b > hi then raise Invalid else b
          end
      fun second n = longer (own (b, n), next (i, least b, greatest b))
      fun further (w, i) = longer (w, next (i, 0wx80, 0wxBF))
    in
      case following b of
        1 => (second 0w1, i + 1)
      | 2 => (further (second 0w2, i + 1), i + 2)
      | 3 => (further (further (second 0w3, i + 1), i + 2), i + 3)
      | _ => raise Invalid
    end

  fun fold' f init part =
    let
      val (s, start, n) = Substring.base part
      val stop = start + n
      fun from (i, x) =
        if i >= stop then x
        else
          let
            val b = byteAt (s, i)
            val (w, i) = if isAscii b then (b, i + 1) else decode (s, i + 1, stop, b)
          in
            from (i, f (w, x))
          end
    in
      from (start, init)
    end
  fun fold f init s = fold' f init (Substring.full s)

  fun size' s = fold' (fn (_, n) => n + 1) 0 s
  fun size s = size' (Substring.full s)

  (* The code point whose last byte, at i, is b, and the place before it; the text is right there. *)
  fun decodeBack (s, i, b) =
    let
      val b1 = byteAt (s, i - 1)
    in
      if b1 >= 0wxC0 then (longer (own (b1, 0w1), b), i - 2)
      else
        let
          val b2 = byteAt (s, i - 2)
        in
          if b2 >= 0wxC0 then (longer (longer (own (b2, 0w2), b1), b), i - 3)
          else (longer (longer (longer (own (byteAt (s, i - 3), 0w3), b2), b1), b), i - 4)
        end
    end

  (* The text is read once, so it is right; then from its end, which makes the list in order. *)
  fun explode s =
    let
      val _ = size s
      fun from (i, l) =
        if i < 0 then l
        else
          let
            val b = byteAt (s, i)
            val (w, i) = if isAscii b then (b, i - 1) else decodeBack (s, i, b)
          in
            from (i, w :: l)
          end
    in
      from (String.size s - 1, [])
    end

  fun app f = fold (fn (w, ()) => f w) ()
  fun map f s =
    implodeReversed
      (fold (fn (w, (ws, n)) => let val w = f w in (w :: ws, n + width w) end) ([], 0) s)

  fun exists f s =
    let
      val stop = String.size s
      fun from i =
        i < stop
        andalso let
          val b = byteAt (s, i)
          val (w, i) = if isAscii b then (b, i + 1) else decode (s, i + 1, stop, b)
        in
          f w orelse from i
        end
    in
      from 0
    end
  fun all f s = not (exists (not o f) s)
end
