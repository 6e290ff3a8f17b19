(* JSONSource': the text of JSON values, and its tokens. C's comments count as white space.
   A source keeps the text that was read and a place in it; a string without escapes is one piece of that text.
   An error says its line and column, and what is there. Columns count characters of UTF-8, from 1. *)

structure JSONSource' =
struct
  (* base: how many bytes came before text. lineAt: how many came before the line. wide: how many bytes of the line,
     before text, continue a character. *)
  datatype source = Source of
    {read : unit -> string, finish : unit -> unit, text : string ref, at : int ref, line : int ref, isOpen : bool ref,
     base : int ref, lineAt : int ref, wide : int ref}

  fun make (read, finish) =
    Source
      {read = read, finish = finish, text = ref "", at = ref 0, line = ref 1, isOpen = ref true, base = ref 0,
       lineAt = ref 0, wide = ref 0}

  fun openStream stream = make (fn () => TextIO.input stream, fn () => ())
  fun openFile name =
    let val stream = TextIO.openIn name
    in make (fn () => TextIO.input stream, fn () => TextIO.closeIn stream) end
  fun openString s =
    let val rest = ref s
    in make (fn () => !rest before rest := "", fn () => ()) end

  fun close (Source {finish, isOpen, ...}) = if !isOpen then (isOpen := false; finish ()) else ()
  fun isOpen (Source {isOpen, ...}) = !isOpen

  exception Error of string

  (* How many bytes of the line that are before a place in text continue a character. *)
  fun continued (Source {text, base, lineAt, wide, ...}, stop) =
    let
      fun isMore c = Word.andb (Word.fromInt (Char.ord c), 0wxC0) = 0wx80
      fun count (i, n) = if i >= stop then n else count (i + 1, if isMore (String.sub (!text, i)) then n + 1 else n)
    in
      count (Int.max (!lineAt - !base, 0), !wide)
    end

  (* How many bytes of the source have been read. *)
  fun place (Source {base, at, ...}) = !base + !at

  (* An error at a place of this line. *)
  fun errorAt (s as Source {line, base, lineAt, ...}, at, message) =
    let
      val column = at - !lineAt - continued (s, at - !base) + 1
    in
      raise Error (concat ["Error at line ", Int.toString (!line), ", column ", Int.toString column, ": ", message])
    end

  fun shown NONE = "the end of the text"
    | shown (SOME c) =
        if Char.isPrint c then "'" ^ str c ^ "'"
        else if Char.isAscii c then "'" ^ Char.toString c ^ "'"
        else "a character beyond ASCII"

  (* At the character that `peek` gave, and at the one that `next` gave. *)
  fun error (s, found, message) = errorAt (s, place s, concat [message, ", found ", shown found])
  fun errorBehind (s, found, message) =
    errorAt (s, if isSome found then place s - 1 else place s, concat [message, ", found ", shown found])

  (* The character that is next, if the text has not ended. *)
  fun peek (s as Source {read, text, at, base, wide, ...}) =
    if !at < size (!text) then SOME (String.sub (!text, !at))
    else
      case read () of
        "" => NONE
      | more =>
          (wide := continued (s, !at);
           base := !base + !at;
           text := more;
           at := 0;
           peek s)
  fun advance (Source {at, ...}) = at := !at + 1
  fun next s = case peek s of NONE => NONE | found => (advance s; found)

  (* Behind a newline. *)
  fun newLine (s as Source {line, lineAt, wide, ...}) = (line := !line + 1; lineAt := place s; wide := 0)

  fun skip s =
    case peek s of
      SOME #"\n" => (advance s; newLine s; skip s)
    | SOME #" " => (advance s; skip s)
    | SOME #"\t" => (advance s; skip s)
    | SOME #"\r" => (advance s; skip s)
    | SOME #"/" =>
        (advance s;
         case next s of
           SOME #"*" => (comment s; skip s)
         | found => errorBehind (s, found, "invalid character; a comment begins with \"/*\""))
    | _ => ()
  and comment s =
    case next s of
      SOME #"*" => (case peek s of SOME #"/" => advance s | _ => comment s)
    | SOME #"\n" => (newLine s; comment s)
    | SOME _ => comment s
    | NONE => error (s, NONE, "unclosed comment")

  (* Nothing but white space is left. *)
  fun atEnd s =
    (skip s;
     case peek s of
       NONE => ()
     | found => error (s, found, "text behind the value"))

  (* One character that must be there. *)
  fun expect (s, c, message) =
    let val found = next s in if found = SOME c then () else errorBehind (s, found, message) end

  (* The longest piece of characters that satisfy f, also over the end of the text that was read. *)
  fun span f (s as Source {text, at, ...}) =
    let
      fun stop i = if i < size (!text) andalso f (String.sub (!text, i)) then stop (i + 1) else i
      val start = !at
      val i = stop start
      val piece = String.substring (!text, start, i - start)
    in
      at := i;
      if i < size (!text) then piece
      else
        case peek s of
          SOME c => if f c then piece ^ span f s else piece
        | NONE => piece
    end

  fun literal (s, word, value) =
    let
      val start = place s
      val found = span Char.isAlpha s
    in
      if found = word then value
      else errorAt (s, start, concat ["invalid literal identifier ", found, "; expected ", word])
    end

  (* Four hexadecimal digits. *)
  fun unit16 s =
    let
      fun digits (0, w) = w
        | digits (n, w) =
            (case next s of
               SOME c =>
                 if Char.isHexDigit c then
                   digits
                     (n - 1, 0w16 * w + Word.fromInt (if Char.isDigit c then ord c - 48 else ord (Char.toLower c) - 87))
                 else errorBehind (s, SOME c, "invalid Unicode escape sequence")
             | NONE => error (s, NONE, "invalid Unicode escape sequence"))
    in
      digits (4, 0w0)
    end

  fun escape s =
    case next s of
      SOME #"n" => "\n"
    | SOME #"t" => "\t"
    | SOME #"r" => "\r"
    | SOME #"b" => "\b"
    | SOME #"f" => "\f"
    | SOME #"\"" => "\""
    | SOME #"\\" => "\\"
    | SOME #"/" => "/"
    | SOME #"u" =>
        let
          val w = unit16 s
        in
          if w < 0wxD800 orelse w > 0wxDFFF then UTF8.encode w
          else
            let
              val start = place s - 6
              fun invalid () =
                errorAt
                  (s, start, "invalid Unicode surrogate pair; expected \\uD800 to \\uDBFF and then \\uDC00 to \\uDFFF")
              val () =
                if w < 0wxDC00 andalso next s = SOME #"\\" andalso next s = SOME #"u" then () else invalid ()
              val low = unit16 s
            in
              if 0wxDC00 <= low andalso low <= 0wxDFFF then
                UTF8.encode (0wx10000 + 0wx400 * (w - 0wxD800) + (low - 0wxDC00))
              else invalid ()
            end
        end
    | found => errorBehind (s, found, "invalid escape sequence")

  fun isPlain c = c >= #" " andalso c <> #"\"" andalso c <> #"\\"

  (* Behind the opening quote. *)
  fun string s =
    let
      val start = place s - 1
      fun pieces acc =
        let
          val acc = span isPlain s :: acc
        in
          case next s of
            SOME #"\"" => (case acc of [one] => one | _ => concat (rev acc))
          | SOME #"\\" => pieces (escape s :: acc)
          | SOME c => errorBehind (s, SOME c, "non-printing ASCII character")
          | NONE => errorAt (s, start, "unclosed string")
        end
      val text = pieces []
    in
      if CharVector.all Char.isAscii text then text
      else
        (ignore (UTF8.size text); text)
        handle UTF8.Invalid => errorAt (s, start, "invalid UTF-8 in this string")
             | UTF8.Incomplete => errorAt (s, start, "incomplete UTF-8 in this string")
    end

  datatype number
    = Whole of IntInf.int
    | Fraction of real

  (* -? (0 | [1-9][0-9]* ) (. [0-9]+)? ([eE] [+-]? [0-9]+)? *)
  fun number s =
    let
      val begin = place s
      val text = span (fn c => Char.isDigit c orelse Char.contains "+-.eE" c) s
      fun invalid i = errorAt (s, begin + i, concat ["invalid number syntax in ", text])
      fun digits i =
        let fun from j = if j < size text andalso Char.isDigit (String.sub (text, j)) then from (j + 1) else j
            val j = from i
        in if j = i then invalid i else j end
      fun at (i, chars) = i < size text andalso Char.contains chars (String.sub (text, i))
      val start = if at (0, "-") then 1 else 0
      val whole = digits start
      val () = if at (start, "0") andalso whole > start + 1 then invalid start else ()
      val fraction = if at (whole, ".") then digits (whole + 1) else whole
      val stop =
        if at (fraction, "eE") then digits (if at (fraction + 1, "+-") then fraction + 2 else fraction + 1) else fraction
    in
      if stop <> size text then invalid stop
      else if stop = whole then Whole (valOf (IntInf.fromString text))
      else Fraction (valOf (Real.fromString text))
    end
end
