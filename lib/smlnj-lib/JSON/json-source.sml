(* JSONSource': the text of JSON values, and its tokens. C's comments count as white space, unless they are refused.
   A source keeps the text that was read and a place in it; a string without escapes is one piece of that text.
   An error says its line and column, and what is there. Columns count characters of UTF-8, from 1. *)

structure JSONSource' =
struct
  (* lines: what only errors and new lines ask for, see below; so a source has few parts. keys: names of members that came
     before, each at a place by its size and two letters. *)
  datatype source =
    Source of
        {read : unit -> string,
         finish : unit -> unit,
         text : string ref,
         at : int ref,
         isOpen : bool ref,
         lines : int array,
         keys : string array}

  (* Numbers in `lines`. The line, from 1; how many bytes came before text; how many came before the line; how many bytes of
     the line, before text, continue a character. *)
  val line = 0
  val base = 1
  val lineAt = 2
  val wide = 3
  (* not 0: comments are refused *)
  val isStrict = 4
  (* where the source is: one of the next three *)
  val state = 5
  (* before a value; in it; and in one of which the rest was not read, as an exception came in place of more text *)
  val (between, within, lost) = (0, 1, 2)
  (* how many arrays and objects may stand within each other *)
  val most = 6
  fun get (Source {lines, ...}, k) = Array.sub (lines, k)
  fun set (Source {lines, ...}, k, n) = Array.update (lines, k, n)

  fun make (read, finish) =
    Source {read = read,
            finish = finish,
            text = ref "",
            at = ref 0,
            isOpen = ref true,
            lines = Array.fromList [1, 0, 0, 0, 0, between, valOf Int.maxInt],
            keys = Array.array (64, "")}

  fun openStream stream = make (fn () => TextIO.input stream, fn () => ())
  fun openFile name =
    let
      val stream = TextIO.openIn name
    in
      make (fn () => TextIO.input stream, fn () => TextIO.closeIn stream)
    end
  fun openString s =
    let
      val rest = ref s
    in
      make (fn () => !rest before rest := "", fn () => ())
    end

  (* RFC 8259 has no comments. *)
  fun withoutComments s = (set (s, isStrict, 1); s)
  (* RFC 8259, 9: a reader may set a limit. *)
  fun nestedAtMost n s = (set (s, most, n); s)

  fun close (Source {finish, isOpen, ...}) = if !isOpen then (isOpen := false; finish ()) else ()
  fun isOpen (Source {isOpen, ...}) = !isOpen

  exception Error of string

  (* How many bytes of the line that are before a place in text continue a character. *)
  fun continued (s as Source {text, ...}, stop) =
    let
      fun isMore c = Word.andb (Word.fromInt (Char.ord c), 0wxC0) = 0wx80
      fun count (i, n) =
        if i >= stop then n else count (i + 1, if isMore (String.sub (!text, i)) then n + 1 else n)
    in
      count (Int.max (get (s, lineAt) - get (s, base), 0), get (s, wide))
    end

  (* How many bytes of the source have been read. *)
  fun place (s as Source {at, ...}) = get (s, base) + !at

  (* An error at a place of this line. *)
  fun errorAt (s, at, message) =
    let
      val column = at - get (s, lineAt) - continued (s, at - get (s, base)) + 1
    in
      raise Error (concat ["Error at line ",
                           Int.toString (get (s, line)),
                           ", column ",
                           Int.toString column,
                           ": ",
                           message])
    end

  (* Texts come from others: what an error says of one is not as long as it may be. *)
  fun short text = if size text > 100 then String.substring (text, 0, 100) ^ ".." else text

  fun shown NONE = "the end of the text"
    | shown (SOME c) =
        if Char.isPrint c then "'" ^ str c ^ "'"
        else if Char.isAscii c then "'" ^ Char.toString c ^ "'"
        else "a character beyond ASCII"

  (* At the character that `peek` gave, and at the one that `next` gave. *)
  fun error (s, found, message) = errorAt (s, place s, concat [message, ", found ", shown found])
  fun errorBehind (s, found, message) =
    errorAt
      (s, if isSome found then place s - 1 else place s, concat [message, ", found ", shown found])

  (* Behind the character that begins one more array or object, of which so many may stand within each other. *)
  fun checkDepth (s, left) =
    if left > 0 then ()
    else
      errorAt (s,
               place s - 1,
               concat ["more than ",
                       Int.toString (get (s, most)),
                       " arrays and objects within each other"])

  (* Behind the end of the text that was read: whether there is more. The stream may raise, as where a wait is
     cancelled. *)
  fun more (s as Source {read, text, at, ...}) =
    (PrimFunctions'.noinline ();
     case read ()
          handle e => (if get (s, state) = within then set (s, state, lost) else (); raise e) of
       "" => false
     | more =>
         (set (s, wide, continued (s, !at));
          set (s, base, place s);
          text := more;
          at := 0;
          true))

  (* The character that is next, if the text has not ended. *)
  fun peek (s as Source {text, at, ...}) =
    if !at < size (!text) orelse more s then SOME (String.sub (!text, !at)) else NONE
  fun advance (Source {at, ...}) = at := !at + 1
  fun next s = case peek s of NONE => NONE | found => (advance s; found)

  (* Behind a newline. *)
  fun newLine s = (set (s, line, get (s, line) + 1); set (s, lineAt, place s); set (s, wide, 0))

  (* Behind white space: what `peek` gives there. *)
  fun skip (s as Source {text, at, ...}) =
    let
      val t = !text
      fun from i =
        if i = size t then (at := i; if more s then skip s else NONE)
        else
          case String.sub (t, i) of
            #" " => from (i + 1)
          | #"\n" => (at := i + 1; newLine s; from (i + 1))
          | #"\t" => from (i + 1)
          | #"\r" => from (i + 1)
          | #"/" =>
              (at := i;
               if get (s, isStrict) <> 0 then
                 error (s, SOME #"/", "invalid character; JSON has no comments")
               else comment s;
               skip s)
          | c => (at := i; SOME c)
    in
      from (!at)
    end
  (* What is left of a comment is no value, either. *)
  and comment s =
    let
      val before' = get (s, state)
      fun rest () =
        case next s of
          SOME #"*" => (case peek s of SOME #"/" => advance s | _ => rest ())
        | SOME #"\n" => (newLine s; rest ())
        | SOME _ => rest ()
        | NONE => error (s, NONE, "unclosed comment")
    in
      set (s, state, within);
      advance s;
      case next s of
        SOME #"*" => rest ()
      | found => errorBehind (s, found, "invalid character; a comment begins with \"/*\"");
      set (s, state, before')
    end

  (* Nothing but white space is left. *)
  fun atEnd s =
    (case skip s of
       NONE => ()
     | found => error (s, found, "text behind the value"))

  (* A value, read by a function. An exception of the stream before it takes nothing away; behind a later one, or one of
     what the function calls, the rest is lost. Behind an error of the syntax what comes is read from there on. *)
  fun whole (s, f) =
    (if get (s, state) = lost then
       raise Error "an exception has come within the value before, the rest of which was not read"
     else ();
     set (s, state, between);
     ignore (skip s);
     set (s, state, within);
     (f () handle e as Error _ => raise e | e => (set (s, state, lost); raise e))
     before set (s, state, between))

  (* One character that must be there, behind white space. *)
  fun expect (s, c, message) =
    let val found = skip s in if found = SOME c then advance s else error (s, found, message) end

  (* The longest piece of characters that satisfy f, also over the end of the text that was read. *)
  fun span f (s as Source {text, at, ...}) =
    let
      (* the pieces before, the last one first *)
      fun piece before' =
        let
          val t = !text
          fun stop i = if i < size t andalso f (String.sub (t, i)) then stop (i + 1) else i
          val start = !at
          val i = stop start
          val found = String.substring (t, start, i - start)
        in
          at := i;
          if i = size t andalso more s then piece (found :: before')
          else if null before' then found
          else concat (rev (found :: before'))
        end
    in
      piece []
    end

  fun literal (s, word, value) =
    let
      val start = place s
      val found = span Char.isAlpha s
    in
      if found = word then value
      else
        errorAt (s, start, concat ["invalid literal identifier ", short found, "; expected ", word])
    end

  (* Four hexadecimal digits. *)
  fun unit16 s =
    let
      fun digits (0, w) = w
        | digits (n, w) =
            (case next s of
               SOME c =>
                 if Char.isHexDigit c then
                   digits (n - 1,
                           0w16 * w
                           + Word.fromInt
                             (if Char.isDigit c then ord c - 48 else ord (Char.toLower c) - 87))
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
                errorAt (s,
                         start,
                         "invalid Unicode surrogate pair; expected \\uD800 to \\uDBFF and then \\uDC00 to \\uDFFF")
              val () =
                if w < 0wxDC00 andalso next s = SOME #"\\" andalso next s = SOME #"u" then ()
                else invalid ()
              val low = unit16 s
            in
              if 0wxDC00 <= low andalso low <= 0wxDFFF then
                UTF8.encode (0wx10000 + 0wx400 * (w - 0wxD800) + (low - 0wxDC00))
              else invalid ()
            end
        end
    | found => errorBehind (s, found, "invalid escape sequence")

  fun isPlain c = c >= #" " andalso c <> #"\"" andalso c <> #"\\"

  (* Plain characters, as `span` takes them; and all bits that their codes have, and those given. *)
  fun plain (s as Source {text, at, ...}, bits) =
    let
      (* the pieces before, the last one first *)
      fun piece (before', bits) =
        let
          val t = !text
          val start = !at
          fun stop (i, bits) =
            if i < size t then
              let
                val c = String.sub (t, i)
              in
                if isPlain c then stop (i + 1, Word.orb (bits, Word.fromInt (Char.ord c)))
                else (i, bits)
              end
            else (i, bits)
          val (i, bits) = stop (start, bits)
          val found = String.substring (t, start, i - start)
        in
          at := i;
          if i = size t andalso more s then piece (found :: before', bits)
          else if null before' then (found, bits)
          else (concat (rev (found :: before')), bits)
        end
    in
      piece ([], bits)
    end

  (* Behind the opening quote. *)
  fun string s =
    let
      val start = place s - 1
      fun pieces (acc, bits) =
        let
          val (piece, bits) = plain (s, bits)
          val acc = piece :: acc
        in
          case next s of
            SOME #"\"" => (case acc of [one] => one | _ => concat (rev acc), bits)
          | SOME #"\\" => pieces (escape s :: acc, bits)
          | SOME c => errorBehind (s, SOME c, "non-printing ASCII character")
          | NONE => errorAt (s, start, "unclosed string")
        end
      val (text, bits) = pieces ([], 0w0)
    in
      (* What escapes give is well formed. *)
      if bits < 0w128
      then text
      else
        (ignore (UTF8.size text); text)
        handle UTF8.Invalid => errorAt (s, start, "invalid UTF-8 in this string")
             | UTF8.Incomplete => errorAt (s, start, "incomplete UTF-8 in this string")
    end

  (* Behind the opening quote of a member's name. Objects that come in numbers have the same names: one that came before is
     given again, so that a million of them are no million strings. *)
  fun key (s as Source {text, at, keys, ...}) =
    let
      val t = !text
      val start = !at
      fun stop i =
        if i < size t andalso isPlain (String.sub (t, i)) andalso Char.isAscii (String.sub (t, i))
        then stop (i + 1)
        else i
      val i = stop start
      val n = i - start
      fun same (k, j) =
        j = n orelse String.sub (k, j) = String.sub (t, start + j) andalso same (k, j + 1)
    in
      if n = 0 orelse n > 32 orelse i = size t orelse String.sub (t, i) <> #"\"" then string s
      else
        let
          val letters = Char.ord (String.sub (t, start)) + 5 * Char.ord (String.sub (t, i - 1))
          val place = Word.toInt (Word.andb (Word.fromInt (letters + 17 * n), 0w63))
          val known = Array.sub (keys, place)
        in
          at := i + 1;
          if size known = n andalso same (known, 0) then known
          else
            let val k = String.substring (t, start, n) in Array.update (keys, place, k); k end
        end
    end

  datatype number =
      Whole of IntInf.int
    | Fraction of real

  fun isSign c = c = #"-" orelse c = #"+"
  fun isExponent c = c = #"e" orelse c = #"E"
  fun isPoint c = c = #"."

  (* -? (0 | [1-9][0-9]* ) (. [0-9]+)? ([eE] [+-]? [0-9]+)? *)
  fun number s =
    let
      val begin = place s
      val text =
        span (fn c => Char.isDigit c orelse isSign c orelse isPoint c orelse isExponent c) s
      fun invalid i = errorAt (s, begin + i, concat ["invalid number syntax in ", short text])
      fun digits i =
        let
          fun from j =
            if j < size text andalso Char.isDigit (String.sub (text, j)) then from (j + 1) else j
          val j = from i
        in
          if j = i then invalid i else j
        end
      fun at (i, f) = i < size text andalso f (String.sub (text, i))
      val start = if at (0, fn c => c = #"-") then 1 else 0
      val whole = digits start
      val () = if at (start, fn c => c = #"0") andalso whole > start + 1 then invalid start else ()
      val fraction = if at (whole, isPoint) then digits (whole + 1) else whole
      val stop =
        if at (fraction, isExponent) then
          digits (if at (fraction + 1, isSign) then fraction + 2 else fraction + 1)
        else fraction
    in
      if stop <> size text then invalid stop
      else if stop = whole then
        Whole
          (if stop < 18 then Int.toLarge (valOf (Int.fromString text))
           else valOf (IntInf.fromString text))
      else Fraction (valOf (Real.fromString text))
    end
end
