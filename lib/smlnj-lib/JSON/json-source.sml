(* JSONSource': the text of JSON values, and its tokens. C's comments count as white space.
   A source keeps the text that was read and a place in it; a string without escapes is one piece of that text. *)

structure JSONSource' =
struct
  datatype source = Source of
    {read : unit -> string, finish : unit -> unit, text : string ref, at : int ref, line : int ref, isOpen : bool ref}

  fun make (read, finish) =
    Source {read = read, finish = finish, text = ref "", at = ref 0, line = ref 1, isOpen = ref true}

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

  fun error (Source {line, ...}, message) = raise Error (concat ["Error at line ", Int.toString (!line), ": ", message])

  (* The character that is next, if the text has not ended. *)
  fun peek (s as Source {read, text, at, ...}) =
    if !at < size (!text) then SOME (String.sub (!text, !at))
    else
      case read () of
        "" => NONE
      | more => (text := more; at := 0; peek s)
  fun advance (Source {at, ...}) = at := !at + 1
  fun next s = peek s before advance s

  fun skip (s as Source {line, ...}) =
    case peek s of
      SOME #"\n" => (line := !line + 1; advance s; skip s)
    | SOME #" " => (advance s; skip s)
    | SOME #"\t" => (advance s; skip s)
    | SOME #"\r" => (advance s; skip s)
    | SOME #"/" =>
        (advance s;
         case next s of
           SOME #"*" => (comment s; skip s)
         | _ => error (s, "invalid character"))
    | _ => ()
  and comment (s as Source {line, ...}) =
    case next s of
      SOME #"*" => (case peek s of SOME #"/" => advance s | _ => comment s)
    | SOME #"\n" => (line := !line + 1; comment s)
    | SOME _ => comment s
    | NONE => error (s, "unclosed comment")

  (* Nothing but white space is left. *)
  fun atEnd s =
    (skip s;
     case peek s of
       NONE => ()
     | SOME _ => error (s, "text behind the value"))

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
    if span Char.isAlpha s = word then value else error (s, "invalid literal identifier")

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
                 else error (s, "invalid Unicode escape sequence")
             | NONE => error (s, "invalid Unicode escape sequence"))
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
          else if w < 0wxDC00 andalso next s = SOME #"\\" andalso next s = SOME #"u" then
            let
              val low = unit16 s
            in
              if 0wxDC00 <= low andalso low <= 0wxDFFF then
                UTF8.encode (0wx10000 + 0wx400 * (w - 0wxD800) + (low - 0wxDC00))
              else error (s, "invalid Unicode surrogate pair")
            end
          else error (s, "invalid Unicode surrogate pair")
        end
    | _ => error (s, "invalid escape sequence")

  fun isPlain c = c >= #" " andalso c <> #"\"" andalso c <> #"\\"

  (* Behind the opening quote. *)
  fun string s =
    let
      fun pieces acc =
        let
          val acc = span isPlain s :: acc
        in
          case next s of
            SOME #"\"" => (case acc of [one] => one | _ => concat (rev acc))
          | SOME #"\\" => pieces (escape s :: acc)
          | SOME _ => error (s, "non-printing ASCII character")
          | NONE => error (s, "unclosed string")
        end
      val text = pieces []
    in
      if CharVector.all Char.isAscii text then text
      else
        (ignore (UTF8.size text); text)
        handle UTF8.Invalid => error (s, "invalid UTF-8")
             | UTF8.Incomplete => error (s, "incomplete UTF-8")
    end

  datatype number
    = Whole of IntInf.int
    | Fraction of real

  (* -? (0 | [1-9][0-9]* ) (. [0-9]+)? ([eE] [+-]? [0-9]+)? *)
  fun number s =
    let
      val text = span (fn c => Char.isDigit c orelse Char.contains "+-.eE" c) s
      fun digits i =
        let fun from j = if j < size text andalso Char.isDigit (String.sub (text, j)) then from (j + 1) else j
            val j = from i
        in if j = i then error (s, "invalid number syntax") else j end
      fun at (i, chars) = i < size text andalso Char.contains chars (String.sub (text, i))
      val start = if at (0, "-") then 1 else 0
      val whole = digits start
      val () = if at (start, "0") andalso whole > start + 1 then error (s, "invalid number syntax") else ()
      val fraction = if at (whole, ".") then digits (whole + 1) else whole
      val stop =
        if at (fraction, "eE") then digits (if at (fraction + 1, "+-") then fraction + 2 else fraction + 1) else fraction
    in
      if stop <> size text then error (s, "invalid number syntax")
      else if stop = whole then Whole (valOf (IntInf.fromString text))
      else Fraction (valOf (Real.fromString text))
    end
end
