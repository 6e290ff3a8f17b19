(* SExp, SExpParser, SExpPrinter: S-expressions: symbols, #t and #f, numbers (0x or #x for hexadecimal), strings,
   'quoted ones, lists in any brackets, comments from ; to the end of the line. *)

structure SExp : sig
  datatype value =
      SYMBOL of Atom.atom
    | BOOL of bool
    | INT of IntInf.int
    | FLOAT of real
    | STRING of string
    | QUOTE of value
    | LIST of value list

  val same : value * value -> bool
  (* Whether they are of the same form and contents; reals as Real.== compares, so nan is not the same as itself. *)
  val compare : value * value -> order
  (* A total order: symbols, integers, reals, strings, quoted ones, lists, #t, #f. A nan comes before all other reals,
     and is equal to any nan. *)
end =
struct
  datatype value =
      SYMBOL of Atom.atom
    | BOOL of bool
    | INT of IntInf.int
    | FLOAT of real
    | STRING of string
    | QUOTE of value
    | LIST of value list

  fun same (SYMBOL a, SYMBOL b) = Atom.same (a, b)
    | same (BOOL a, BOOL b) = a = b
    | same (INT a, INT b) = a = b
    | same (FLOAT a, FLOAT b) = Real.== (a, b)
    | same (STRING a, STRING b) = a = b
    | same (QUOTE a, QUOTE b) = same (a, b)
    | same (LIST a, LIST b) = ListPair.allEq same (a, b)
    | same _ = false

  fun kind (SYMBOL _) = 0
    | kind (INT _) = 1
    | kind (FLOAT _) = 2
    | kind (STRING _) = 3
    | kind (QUOTE _) = 4
    | kind (LIST _) = 5
    | kind (BOOL _) = 6

  fun compareReals (a, b) =
    case (Real.isNan a, Real.isNan b) of
      (false, false) => Real.compare (a, b)
    | (true, true) => EQUAL
    | (true, false) => LESS
    | (false, true) => GREATER

  fun compare (SYMBOL a, SYMBOL b) = Atom.compare (a, b)
    | compare (BOOL a, BOOL b) = if a = b then EQUAL else if a then LESS else GREATER
    | compare (INT a, INT b) = IntInf.compare (a, b)
    | compare (FLOAT a, FLOAT b) = compareReals (a, b)
    | compare (STRING a, STRING b) = String.compare (a, b)
    | compare (QUOTE a, QUOTE b) = compare (a, b)
    | compare (LIST a, LIST b) = List.collate compare (a, b)
    | compare (a, b) = Int.compare (kind a, kind b)
end

structure SExpParser : sig
  val parse : TextIO.instream -> SExp.value list
  (* All values up to the stream's end; the stream stays open. Raises Fail with the line of a syntax error. *)
  val parseFile : string -> SExp.value list
  (* All values of the file. Raises Fail likewise, IO.Io for the file. *)
  val parseString : string -> SExp.value list
  (* All values of the text. Raises Fail likewise. *)
end =
struct
  exception Error of int * string

  fun parseString text =
    let
      val n = size text
      val line = ref 1
      fun wrong message = raise Error (!line, message)
      fun at i = if i < n then SOME (String.sub (text, i)) else NONE

      fun skip i =
        case at i of
          SOME #"\n" => (line := !line + 1; skip (i + 1))
        | SOME #";" => comment i
        | SOME c => if Char.isSpace c then skip (i + 1) else i
        | NONE => i
      and comment i = case at i of SOME #"\n" => skip i | SOME _ => comment (i + 1) | NONE => i

      fun blanks i =
        case at i of
          SOME #" " => blanks (i + 1)
        | SOME #"\t" => blanks (i + 1)
        | _ => i
      (* where the next line begins, if a line ends here *)
      fun lineEnd i =
        case (at i, at (i + 1)) of
          (SOME #"\r", SOME #"\n") => SOME (i + 2)
        | (SOME #"\r", _) => SOME (i + 1)
        | (SOME #"\n", _) => SOME (i + 1)
        | _ => NONE

      (* Behind the quote. A backslash at the end of a line joins it to the next one, without the blanks around. *)
      fun string (i, acc) =
        case at i of
          SOME #"\"" => (SExp.STRING (concat (rev acc)), i + 1)
        | SOME #"\\" =>
            (case at (i + 1) of
               SOME #"n" => string (i + 2, "\n" :: acc)
             | SOME #"t" => string (i + 2, "\t" :: acc)
             | SOME #"r" => string (i + 2, "\r" :: acc)
             | SOME #"a" => string (i + 2, "\a" :: acc)
             | SOME #"b" => string (i + 2, "\b" :: acc)
             | SOME #"v" => string (i + 2, "\v" :: acc)
             | SOME #"f" => string (i + 2, "\f" :: acc)
             | SOME #"x" =>
                 let
                   fun stop j =
                     case at j of
                       SOME c => if Char.isHexDigit c then stop (j + 1) else j
                     | NONE => j
                   val j = stop (i + 2)
                   val code =
                     Word.fromString (String.substring (text, i + 2, j - i - 2))
                     handle Overflow => NONE
                   val c =
                     Option.map
                       (fn w => if w < 0w256 then str (chr (Word.toInt w)) else UTF8.encode w)
                       code
                     handle UTF8.Invalid => NONE
                 in
                   case (at j, c) of
                     (SOME #";", SOME c) => string (j + 1, c :: acc)
                   | _ => wrong "invalid escape sequence"
                 end
             | SOME c =>
                 if Char.isPunct c then string (i + 2, str c :: acc)
                 else
                   (case lineEnd (blanks (i + 1)) of
                      SOME j => (line := !line + 1; string (blanks j, acc))
                    | NONE => wrong "invalid escape sequence")
             | NONE => wrong "unclosed string")
        | SOME #"\n" => (line := !line + 1; string (i + 1, "\n" :: acc))
        | SOME c => string (i + 1, str c :: acc)
        | NONE => wrong "unclosed string"

      fun isWord c = Char.isAlphaNum c orelse Char.contains "-+.@!$%&*/:<=>?_~^#" c
      fun numeral word =
        let
          fun all f s = s <> "" andalso CharVector.all f s
          (* one sign at most; SML's scanners take a minus as it stands *)
          val isPlus = String.isPrefix "+" word
          val unsigned =
            if isPlus orelse String.isPrefix "-" word then String.extract (word, 1, NONE) else word
          val digits = if isPlus then unsigned else word
          (* A word is a real as a whole, or none: dates and addresses begin with one. *)
          fun whole (SOME (r, rest)) = if Substring.isEmpty rest then SOME (SExp.FLOAT r) else NONE
            | whole NONE = NONE
        in
          if String.isPrefix "0x" unsigned
             andalso all Char.isHexDigit (String.extract (unsigned, 2, NONE))
          then
            Option.map
              (if unsigned = word orelse isPlus then SExp.INT else SExp.INT o ~)
              (StringCvt.scanString (IntInf.scan StringCvt.HEX) unsigned)
          else if all Char.isDigit unsigned then Option.map SExp.INT (IntInf.fromString digits)
          else if unsigned <> ""
                  andalso Char.isDigit (String.sub (unsigned, 0))
                  andalso all (fn c => Char.isDigit c orelse Char.contains "+-.eE" c) unsigned
          then
            whole (Real.scan Substring.getc (Substring.full digits))
          else NONE
        end
      (* A sign and digits, and nothing else: the Basis would pass over what follows. *)
      fun hexadecimal digits =
        let
          val (sign, rest) =
            Substring.splitl (fn c => Char.contains "+-~" c) (Substring.full digits)
        in
          if Substring.size sign <= 1
             andalso not (Substring.isEmpty rest)
             andalso Substring.isEmpty (Substring.dropl Char.isHexDigit rest)
          then
            StringCvt.scanString (IntInf.scan StringCvt.HEX) digits
          else NONE
        end
      fun word i =
        let
          fun stop j = case at j of SOME c => if isWord c then stop (j + 1) else j | NONE => j
          val j = stop i
          val w = String.substring (text, i, j - i)
          val value =
            case w of
              "" =>
                wrong ("unexpected character "
                       ^ (case at i of SOME c => Char.toString c | NONE => "at the end"))
            | "#t" => SExp.BOOL true
            | "#f" => SExp.BOOL false
            | _ =>
                if String.isPrefix "#x" w then
                  (case hexadecimal (String.extract (w, 2, NONE)) of
                     SOME k => SExp.INT k
                   | NONE => wrong "invalid number")
                else if String.isPrefix "#" w then wrong ("unknown literal " ^ w)
                else getOpt (numeral w, SExp.SYMBOL (Atom.atom w))
        in
          (value, j)
        end

      fun value i =
        case at i of
          SOME #"(" => list (skip (i + 1), #")", [])
        | SOME #"[" => list (skip (i + 1), #"]", [])
        | SOME #"{" => list (skip (i + 1), #"}", [])
        | SOME #"'" => let val (v, i) = value (skip (i + 1)) in (SExp.QUOTE v, i) end
        | SOME #"\"" => string (i + 1, [])
        | _ => word i
      and list (i, close, acc) =
        case at i of
          NONE => wrong "unclosed list"
        | SOME c =>
            if c = close then (SExp.LIST (rev acc), i + 1)
            else let val (v, i) = value i in list (skip i, close, v :: acc) end

      fun all (i, acc) =
        if i >= n then rev acc else let val (v, i) = value i in all (skip i, v :: acc) end
    in
      all (skip 0, [])
      handle Error (line, message) =>
          raise Fail (concat ["Error at line ", Int.toString line, ": ", message])
    end

  fun parse stream = parseString (TextIO.inputAll stream)
  fun parseFile name =
    let
      val stream = TextIO.openIn name
    in
      (parse stream handle e => (TextIO.closeIn stream; raise e)) before TextIO.closeIn stream
    end
end

structure SExpPrinter : sig
  val print : TextIO.outstream * SExp.value -> unit
  (* Writes the value's text, as toString gives it, without a new line behind it. *)
  val toString : SExp.value -> string
  (* The value on one line, lists in round brackets. Reals have six digits, so they may be read back as others. *)
end =
struct
  open SExp

  fun escape c =
    case c of
      #"\"" => "\\\""
    | #"\\" => "\\\\"
    | #"\n" => "\\n"
    | #"\t" => "\\t"
    | #"\r" => "\\r"
    | _ =>
        if Char.isPrint c orelse not (Char.isAscii c) then str c
        else concat ["\\x", Int.fmt StringCvt.HEX (ord c), ";"]

  fun minus s = CharVector.map (fn #"~" => #"-" | c => c) s

  (* The pieces before, the last one first: a value deep inside is copied once. *)
  fun pieces (v, acc) =
    case v of
      SYMBOL a => Atom.toString a :: acc
    | BOOL b => (if b then "#t" else "#f") :: acc
    | INT n => minus (IntInf.toString n) :: acc
    | FLOAT r => Format.format "%g" [Format.REAL r] :: acc
    | STRING s => "\"" :: String.translate escape s :: "\"" :: acc
    | QUOTE v => pieces (v, "'" :: acc)
    | LIST [] => "()" :: acc
    | LIST (v :: rest) =>
        ")"
        :: List.foldl (fn (v, acc) => pieces (v, " " :: acc)) (pieces (v, "(" :: acc)) rest
  fun toString v = concat (rev (pieces (v, [])))

  fun print (out, v) = TextIO.output (out, toString v)
end
