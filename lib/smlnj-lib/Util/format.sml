(* Format and Scan: C's printf and scanf over lists of tagged values. RealFormat: reals as digits.

   A format is parsed once: `Format.format fmt` may be kept and applied to many lists. *)

signature FORMAT =
sig
  datatype fmt_item =
      ATOM of Atom.atom
    | LINT of LargeInt.int
    | INT of Int.int
    | LWORD of LargeWord.word
    | WORD of Word.word
    | WORD8 of Word8.word
    | BOOL of bool
    | CHR of char
    | STR of string
    | REAL of Real.real
    | LREAL of LargeReal.real
    | LEFT of (int * fmt_item)
    | RIGHT of (int * fmt_item)
  (* LEFT has blanks put before the text, which the format's width has made, until it is so long. RIGHT's width replaces
     the format's; then blanks are put behind what is shorter still. So both leave a number or a string at the right, as
     SML/NJ's code does since 110.99, whatever its comments say. *)

  exception BadFormat
  (* The format is not of the form %[ +~-0#]*[width][.precision][dxXoeEfFgGaAbcs] between ordinary text; or it has a
     precision before one of d, x, X, o, b and c; or "-" behind "~", or both of " " and "+". *)
  exception BadFmtList
  (* The items are not as many, or not of the kinds, that the format asks for. *)

  val format : string -> fmt_item list -> string
  (* The text of the items in that format. Raises BadFormat and BadFmtList. *)
  val formatf : string -> (string -> unit) -> fmt_item list -> unit
  (* Gives the text of the items in that format to the function. Raises BadFormat and BadFmtList. *)
end

signature SCAN =
sig
  datatype fmt_item =
      ATOM of Atom.atom
    | LINT of LargeInt.int
    | INT of Int.int
    | LWORD of LargeWord.word
    | WORD of Word.word
    | WORD8 of Word8.word
    | BOOL of bool
    | CHR of char
    | STR of string
    | REAL of Real.real
    | LREAL of LargeReal.real
    | LEFT of (int * fmt_item)
    | RIGHT of (int * fmt_item)

  exception BadFormat

  val sscanf : string -> string -> fmt_item list option
  (* What the format finds in the string, item by item; NONE where the text does not fit. White space in the format
     matches any amount of it; other characters match themselves; a conversion gives INT, CHR, STR, BOOL or REAL. %s
     takes what is before white space or the end, be it nothing. What is left of the text is ignored. Raises BadFormat,
     and Overflow for a number that no int has. *)
  val scanf : string -> (char, 'a) StringCvt.reader -> (fmt_item list, 'a) StringCvt.reader
  (* Likewise from a stream of characters, with the stream behind what was read. The format is parsed, and BadFormat
     raised, as soon as it is given. *)
end

structure RealFormat : sig
  exception BadPrecision

  val realFFormat : real * int -> {sign : bool, mantissa : string}
  (* The number without its sign, with so many digits behind the point; sign says whether it is negative. Raises
     BadPrecision if the precision is negative. *)
  val realEFormat : real * int -> {sign : bool, mantissa : string, exp : int}
  (* One digit before the point and so many behind it, and the power of ten. Raises BadPrecision if the precision is
     negative. *)
  val realGFormat : real * int -> {sign : bool, whole : string, frac : string, exp : int option}
  (* The precision counts all digits, one or more; zeros at the end of the fraction are left out. exp is SOME where the
     number is too small or too large to be shown without a power of ten. Raises BadPrecision if the precision is less
     than one. *)
end =
struct
  exception BadPrecision

  fun digits (fmt, r) = (r < 0.0, Real.fmt fmt (abs r))

  fun realFFormat (r, n) =
    if n < 0 then raise BadPrecision
    else
      let
        val (sign, text) = digits (StringCvt.FIX (SOME n), r)
      in
        {sign = sign, mantissa = text}
      end

  (* "1.5E~7" in its two parts. *)
  fun parts text =
    let
      val (mantissa, rest) = Substring.splitl (fn c => c <> #"E") (Substring.full text)
    in
      (Substring.string mantissa,
       Option.getOpt (Int.fromString (Substring.string (Substring.triml 1 rest)), 0))
    end

  fun realEFormat (r, n) =
    if n < 0 then raise BadPrecision
    else
      let
        val (sign, text) = digits (StringCvt.SCI (SOME n), r)
        val (mantissa, exp) = parts text
      in
        {sign = sign, mantissa = mantissa, exp = exp}
      end

  fun point mantissa =
    let
      val (whole, frac) = Substring.splitl (fn c => c <> #".") (Substring.full mantissa)
    in
      (Substring.string whole,
       Substring.string (Substring.dropr (fn c => c = #"0") (Substring.triml 1 frac)))
    end

  fun realGFormat (r, n) =
    if n < 1 then raise BadPrecision
    else
      let
        val {sign, mantissa, exp} = realEFormat (r, n - 1)
      in
        if not (Real.isFinite r) then {sign = sign, whole = mantissa, frac = "", exp = NONE}
        else if exp < ~4 orelse exp >= n then
          let
            val (whole, frac) = point mantissa
          in
            {sign = sign, whole = whole, frac = frac, exp = SOME exp}
          end
        else
          let
            val (whole, frac) = point (#mantissa (realFFormat (r, n - 1 - exp)))
          in
            {sign = sign, whole = whole, frac = frac, exp = NONE}
          end
      end
end

(* What Format and Scan have in common: the items, and the parser of formats. *)
structure FmtFields' =
struct
  datatype fmt_item =
      ATOM of Atom.atom
    | LINT of LargeInt.int
    | INT of Int.int
    | LWORD of LargeWord.word
    | WORD of Word.word
    | WORD8 of Word8.word
    | BOOL of bool
    | CHR of char
    | STR of string
    | REAL of Real.real
    | LREAL of LargeReal.real
    | LEFT of (int * fmt_item)
    | RIGHT of (int * fmt_item)

  exception BadFormat

  type flags = {blank : bool, plus : bool, tilde : bool, zero : bool, base : bool}

  datatype directive =
      Text of string
    | Field of flags * int option * int option * char
  (* Width and precision; then the letter. *)

  fun parse format =
    let
      fun flags (f as {blank, plus, tilde, zero, base}, s) =
        case Substring.getc s of
          SOME (#" ", s) =>
            flags ({blank = true, plus = plus, tilde = tilde, zero = zero, base = base}, s)
        | SOME (#"+", s) =>
            flags ({blank = blank, plus = true, tilde = tilde, zero = zero, base = base}, s)
        | SOME (#"~", s) =>
            flags ({blank = blank, plus = plus, tilde = true, zero = zero, base = base}, s)
        | SOME (#"-", s) =>
            if tilde then raise BadFormat
            else flags ({blank = blank, plus = plus, tilde = false, zero = zero, base = base}, s)
        | SOME (#"0", s) =>
            flags ({blank = blank, plus = plus, tilde = tilde, zero = true, base = base}, s)
        | SOME (#"#", s) =>
            flags ({blank = blank, plus = plus, tilde = tilde, zero = zero, base = true}, s)
        | _ => if blank andalso plus then raise BadFormat else (f, s)
      fun number s =
        let
          val (digits, rest) = Substring.splitl Char.isDigit s
        in
          (Int.fromString (Substring.string digits) handle Overflow => raise BadFormat, rest)
        end
      fun field s =
        let
          val (flags, s) =
            flags ({blank = false, plus = false, tilde = false, zero = false, base = false}, s)
          val (width, s) = number s
          val (precision, s) =
            if Substring.isPrefix "." s then
              let val (n, s) = number (Substring.triml 1 s) in (SOME (getOpt (n, 0)), s) end
            else (NONE, s)
        in
          case Substring.getc s of
            SOME (c, s) =>
              if Char.contains "eEfFgGaAs" c
                 orelse (Char.contains "dxXobc" c andalso not (isSome precision))
              then
                (Field (flags, width, precision, c), s)
              else raise BadFormat
          | NONE => raise BadFormat
        end
      fun directives (s, acc) =
        let
          val (text, rest) = Substring.splitl (fn c => c <> #"%") s
          val acc = if Substring.isEmpty text then acc else Text (Substring.string text) :: acc
        in
          if Substring.isEmpty rest then rev acc
          else if Substring.isPrefix "%%" rest then
            directives (Substring.triml 2 rest, Text "%" :: acc)
          else let val (f, rest) = field (Substring.triml 1 rest) in directives (rest, f :: acc) end
        end
    in
      directives (Substring.full format, [])
    end
end

structure Format : FORMAT =
struct
  open FmtFields'

  exception BadFmtList

  fun lower s = CharVector.map Char.toLower s

  fun pad (width, s) = StringCvt.padLeft #" " width s

  (* Sign, base and digits, with zeros between if those fill the width. *)
  fun number ({blank, plus, tilde, zero, base} : flags, width, negative, prefix, digits, mayFill) =
    let
      val sign =
        if negative then if tilde then "~" else "-"
        else if plus then "+"
        else if blank then " "
        else ""
      val head = if base then sign ^ prefix else sign
    in
      if zero andalso mayFill then head ^ StringCvt.padLeft #"0" (width - size head) digits
      else pad (width, head ^ digits)
    end

  fun whole (flags, width, c, n : LargeInt.int) =
    let
      val (prefix, digits) =
        case c of
          #"d" => ("", LargeInt.toString (abs n))
        | #"o" => ("0", LargeInt.fmt StringCvt.OCT (abs n))
        | #"x" => ("0x", lower (LargeInt.fmt StringCvt.HEX (abs n)))
        | #"X" => ("0X", LargeInt.fmt StringCvt.HEX (abs n))
        | _ => raise BadFmtList
    in
      number (flags, width, n < 0, prefix, digits, true)
    end

  (* At least two digits, signed like the number. *)
  fun exponent ({plus, blank, tilde, ...} : flags, letter, e) =
    let
      val digits = StringCvt.padLeft #"0" 2 (Int.toString (abs e))
    in
      concat [letter,
              if e < 0 then if tilde then "~" else "-"
              else if plus then "+"
              else if blank then " "
              else "",
              digits]
    end

  (* Digits behind the point, and the point: `always` is the flag #, which wants one where no digit follows. *)
  fun fraction (always, "") = if always then "." else ""
    | fraction (_, digits) = "." ^ digits

  (* C's %g keeps the zeros at the end when # asks for them: so many that all digits from the first that is not 0 on (from
     the first one, of zero) are as many as the precision says. *)
  fun withZeros (n, whole, frac) =
    let
      fun significant s =
        size (Substring.string (Substring.dropl (fn c => c = #"0") (Substring.full s)))
      val used = significant (whole ^ frac)
      val used = if used = 0 then size whole + size frac else used
    in
      frac ^ StringCvt.padLeft #"0" (n - used) ""
    end

  (* C's %a: one hexadecimal digit, a fraction, a power of two. A precision rounds to the nearest, ties to the even digit. *)
  fun hexadecimal (precision, r) =
    let
      (* So many of the 13 digits of the fraction are left out. *)
      val dropped = case precision of SOME n => Int.max (13 - n, 0) | NONE => 0
      val {man, exp} = if Real.== (r, 0.0) then {man = 0.0, exp = 1} else Real.toManExp (abs r)
      (* One digit before the point, 13 behind it. *)
      val bits = Real.toLargeInt IEEEReal.TO_NEAREST (Real.fromManExp {man = man, exp = 53})
      val unit = IntInf.<< (1, Word.fromInt (4 * dropped))
      val (kept, rest) = IntInf.divMod (bits, unit)
      val up = 2 * rest > unit orelse (2 * rest = unit andalso IntInf.rem (kept, 2) = 1)
      val kept = if up then kept + 1 else kept
      val digits = lower (LargeInt.fmt StringCvt.HEX (kept * unit))
      (* Rounded up to 2: the half of it is one bit to the left. *)
      val (digits, exp) =
        if String.isPrefix "2" digits then ("1" ^ String.extract (digits, 1, NONE), exp + 1)
        else (digits, exp)
      val digits = StringCvt.padRight #"0" 14 digits
      val frac = String.extract (digits, 1, NONE)
    in
      (String.substring (digits, 0, 1),
       case precision of
         NONE => Substring.string (Substring.dropr (fn c => c = #"0") (Substring.full frac))
       | SOME n => StringCvt.padRight #"0" n (String.substring (frac, 0, Int.min (n, 13))),
       exp - 1)
    end

  fun real (flags as {base, ...} : flags, width, precision, c, r) =
    let
      val n = getOpt (precision, 6)
      val upper = Char.isUpper c
      fun cased s = if upper then s else lower s
      fun pointed mantissa = if base andalso n = 0 then mantissa ^ "." else mantissa
      fun digits kind =
        case kind of
          #"f" => pointed (#mantissa (RealFormat.realFFormat (r, n)))
        | #"e" =>
            let
              val {mantissa, exp, ...} = RealFormat.realEFormat (r, n)
            in
              pointed mantissa ^ exponent (flags, cased "E", exp)
            end
        | #"g" =>
            let
              val n = Int.max (n, 1)
              val {whole, frac, exp, ...} = RealFormat.realGFormat (r, n)
              val frac = if base then withZeros (n, whole, frac) else frac
            in
              concat [whole,
                      fraction (base, frac),
                      case exp of SOME e => exponent (flags, cased "E", e) | NONE => ""]
            end
        | _ =>
            let
              val (whole, frac, e) = hexadecimal (precision, r)
            in
              cased (concat ["0X", CharVector.map Char.toUpper (whole ^ fraction (base, frac))])
              ^ exponent (flags, cased "P", e)
            end
    in
      if not (Char.contains "efga" (Char.toLower c)) then raise BadFmtList
      else if Real.isFinite r then
        number (flags, width, r < 0.0, "", digits (Char.toLower c), true)
      else number (flags, width, r < 0.0, "", cased (if Real.isNan r then "NAN" else "INF"), false)
    end

  fun string (width, precision, s) =
    pad (width,
         case precision of
           SOME n => if n < size s then String.substring (s, 0, n) else s
         | NONE => s)

  fun item (field as (flags, width, precision, c), x) =
    case (x, c) of
      (LEFT (n, x), _) => pad (n, item (field, x))
    | (RIGHT (n, x), _) =>
        StringCvt.padRight #" " n (item ((flags, n, precision, c), x))
    | (LINT n, _) => whole (flags, width, c, n)
    | (INT n, _) => whole (flags, width, c, Int.toLarge n)
    | (LWORD w, _) => whole (flags, width, c, LargeWord.toLargeInt w)
    | (WORD w, _) => whole (flags, width, c, Word.toLargeInt w)
    | (WORD8 w, _) => whole (flags, width, c, Word8.toLargeInt w)
    | (REAL r, _) => real (flags, width, precision, c, r)
    | (LREAL r, _) => real (flags, width, precision, c, Real.fromLarge IEEEReal.TO_NEAREST r)
    | (BOOL b, #"b") => string (width, NONE, Bool.toString b)
    | (CHR a, #"c") => string (width, NONE, str a)
    | (STR s, #"s") => string (width, precision, s)
    | (ATOM a, #"s") => string (width, precision, Atom.toString a)
    | _ => raise BadFmtList

  fun formatf fmt =
    let
      val directives = parse fmt
      fun pieces ([], [], acc) = concat (rev acc)
        | pieces ([], _ :: _, _) = raise BadFmtList
        | pieces (Text s :: rest, items, acc) = pieces (rest, items, s :: acc)
        | pieces (Field (flags, width, precision, c) :: rest, x :: items, acc) =
            pieces (rest, items, item ((flags, getOpt (width, 0), precision, c), x) :: acc)
        | pieces (Field _ :: _, [], _) = raise BadFmtList
    in
      fn consumer => fn items => consumer (pieces (directives, items, []))
    end

  fun format fmt =
    let
      val formatTo = formatf fmt
    in
      fn items => let val result = ref "" in formatTo (fn s => result := s) items; !result end
    end
end

structure Scan : SCAN where type fmt_item = Format.fmt_item =
struct
  open FmtFields'

  (* At most n characters. *)
  fun limited (NONE, getc) = (fn (s, _) => Option.map (fn (c, s) => (c, (s, 0))) (getc s))
    | limited (SOME n, getc) =
        (fn (s, used) =>
           if used >= n then NONE else Option.map (fn (c, s) => (c, (s, used + 1))) (getc s))

  fun scanf fmt =
    let
      val directives = parse fmt
    in
      fn getc =>
        let
          fun skip s = StringCvt.skipWS getc s
          fun text (t, i, s) =
            if i = size t then SOME s
            else if Char.isSpace (String.sub (t, i)) then text (t, i + 1, skip s)
            else
              case getc s of
                SOME (c, s) => if c = String.sub (t, i) then text (t, i + 1, s) else NONE
              | NONE => NONE
          fun convert (scan, wrap, width, s) =
            case scan (limited (width, getc)) (skip s, 0) of
              SOME (x, (s, _)) => SOME (wrap x, s)
            | NONE => NONE
          fun word getc s =
            let
              fun chars (s, acc) =
                case getc s of
                  SOME (c, s') =>
                    if Char.isSpace c then (implode (rev acc), s) else chars (s', c :: acc)
                | NONE => (implode (rev acc), s)
            in
              SOME (chars (s, []))
            end
          fun field (width, c, s) =
            if Char.contains "eEfFgGaA" c then convert (Real.scan, REAL, width, s)
            else
              case c of
                #"d" => convert (Int.scan StringCvt.DEC, INT, width, s)
              | #"o" => convert (Int.scan StringCvt.OCT, INT, width, s)
              | #"b" => convert (Bool.scan, BOOL, width, s)
              | #"c" => Option.map (fn (c, s) => (CHR c, s)) (getc s)
              | #"s" => convert (word, STR, width, s)
              | _ => convert (Int.scan StringCvt.HEX, INT, width, s)
          fun run ([], s, acc) = SOME (rev acc, s)
            | run (Text t :: rest, s, acc) =
                (case text (t, 0, s) of SOME s => run (rest, s, acc) | NONE => NONE)
            | run (Field (_, width, _, c) :: rest, s, acc) =
                (case field (width, c, s) of SOME (x, s) => run (rest, s, x :: acc) | NONE => NONE)
        in
          fn s => run (directives, s, [])
        end
    end

  fun sscanf fmt =
    let
      val directives = parse fmt
    in
      fn s => (ignore directives; StringCvt.scanString (scanf fmt) s)
    end
end
