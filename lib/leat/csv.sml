(* CSV: records of fields as text with a separator between fields (RFC 4180), read and written.

   A field in quotes may have separators, line ends and, written twice, quotes in it. A line ends with a newline, or with
   a carriage return and a newline; the last one need not end. An empty line is a record without fields. A quote behind a
   field's first character is a character like others. *)

signature CSV =
sig
  exception Malformed of {line : int, column : int, reason : string}
  (* The text is no such table; lines and columns count from 1, columns in bytes. Of a field behind one that goes on to
     another line, the place of that one. *)

  val parse : string -> string list list
  (* The records of a text with commas. Raises Malformed. *)
  val parseWith : char -> string -> string list list
  (* The same with another separator. *)

  type source
  (* Where records are read from, one after the other. If its function, or its stream, raises an exception within a
     record, as when a wait is cancelled, none of the record is taken: the next call reads it from its beginning. *)

  val openString : string -> source
  (* Records of a text with commas. *)
  val openStream : TextIO.instream -> source
  (* Records of a stream with commas; of the stream no more is read than the records' lines. *)
  val openWith : {separator : char, nextLine : unit -> string option} -> source
  (* Records with a separator, from a function that gives the lines with their ends. *)
  val next : source -> string list option
  (* The next record, or NONE at the end. Raises Malformed. *)
  val line : source -> int
  (* How many lines have been read. *)

  type table
  (* Records of which the first has the names of the columns. *)
  type row
  (* One of the others. *)

  val table : source -> table
  (* Reads the names, behind a byte order mark if there is one. Raises Malformed if there is no record, and if a name
     is there twice. *)
  val names : table -> string list
  (* The names, from left to right. *)
  val nextRow : table -> row option
  (* The next row, or NONE at the end. Empty lines are passed over. Raises Malformed, for a row with more fields or
     fewer than there are names, too. *)
  val rows : table -> row list
  (* All that are left. *)
  val column : table -> string -> row -> string
  (* The field in the column of that name. The column is looked for when the name is given: `column table name` raises
     Malformed if there is none. *)
  val columnAs : table -> string * (string -> 'a option) -> row -> 'a
  (* What the function makes of that field, such as `Read.int` (`read.mlb`) of a number. Raises Malformed with the
     field's place where that is NONE. *)
  val fields : row -> string list
  (* All its fields, from left to right. *)
  val rowLine : row -> int
  (* The line in which it begins. *)

  val record : string list -> string
  (* A record as text, with quotes where they are needed, and with the end of the line: carriage return, newline. *)
  val recordWith : {separator : char, lineEnd : string} -> string list -> string
  (* The same with another separator and line end. *)
  val toString : string list list -> string
  (* Records as a text; `parse` gives them back. *)
  val output : TextIO.outstream * string list -> unit
  (* Writes a record. *)
end

structure CSV :> CSV =
struct
  exception Malformed of {line : int, column : int, reason : string}

  val () =
    MLton.Exn.addExnMessager (fn Malformed {line, column, reason} =>
                                   SOME (concat ["CSV: ",
                                                 reason,
                                                 ", in line ",
                                                 Int.toString line,
                                                 ", column ",
                                                 Int.toString column])
                               | _ => NONE)

  (* again: lines that were read of a record whose next line did not come, as a wait for it was cancelled *)
  datatype source =
    Source of
        {separator : char,
         nextLine : unit -> string option,
         line : int ref,
         again : string list ref}

  fun openWith {separator, nextLine} =
    Source {separator = separator, nextLine = nextLine, line = ref 0, again = ref []}
  fun openStream stream = openWith {separator = #",", nextLine = fn () => TextIO.inputLine stream}

  (* The lines of a text. *)
  fun lines text =
    let
      val at = ref 0
      fun stop i =
        if i = size text then i else if String.sub (text, i) = #"\n" then i + 1 else stop (i + 1)
    in
      fn () =>
        if !at = size text then NONE
        else
          let
            val start = !at
          in
            at := stop start;
            SOME (String.substring (text, start, !at - start))
          end
    end

  fun openStringWith separator text = openWith {separator = separator, nextLine = lines text}
  fun openString text = openStringWith #"," text

  fun line (Source {line, ...}) = !line

  fun malformed (line, column, reason) =
    raise Malformed {line = line, column = column, reason = reason}

  fun upTo (text, stop, c, i) =
    if i < stop andalso String.sub (text, i) <> c then upTo (text, stop, c, i + 1) else i

  (* Where the fields of a line stop. *)
  fun stopOf text =
    let
      val n = size text
    in
      if n = 0 orelse String.sub (text, n - 1) <> #"\n" then n
      else if n > 1 andalso String.sub (text, n - 2) = #"\r" then n - 2
      else n - 1
    end

  (* The next record, and its first line. If the source raises, none of it is taken. *)
  fun nextOf (Source {separator, nextLine, line, again}) =
    let
      val first = !line
      (* the lines of this record, the last one first *)
      val taken = ref []
      fun putBack e = (again := List.revAppend (!taken, !again); line := first; raise e)
      fun found () =
        case !again of
          text :: rest => (again := rest; SOME text)
        | [] => nextLine () handle e => putBack e
      fun read () =
        case found () of
          NONE => NONE
        | SOME text => (line := !line + 1; taken := text :: !taken; SOME text)

      (* The fields from i on, behind those that are known; the last one first. *)
      fun fields (text, stop, i, known) =
        if i < stop andalso String.sub (text, i) = #"\"" then
          quoted (text, stop, i + 1, [], known, (!line, i + 1))
        else
          let
            val j = upTo (text, stop, separator, i)
          in
            behind (text, stop, j, String.substring (text, i, j - i) :: known)
          end

      (* Behind a field. *)
      and behind (text, stop, i, known) =
        if i = stop then rev known
        else if String.sub (text, i) = separator then fields (text, stop, i + 1, known)
        else malformed (!line, i + 1, "text behind a closing quote")

      (* In quotes; pieces: what is before i, the last piece first. *)
      and quoted (text, stop, i, pieces, known, start) =
        let
          val n = size text
          val j = upTo (text, n, #"\"", i)
          val pieces = String.substring (text, i, j - i) :: pieces
        in
          if j = n then
            case read () of
              SOME text => quoted (text, stopOf text, 0, pieces, known, start)
            | NONE => malformed (#1 start, #2 start, "a quote that nothing closes")
          else if j + 1 < n andalso String.sub (text, j + 1) = #"\"" then
            quoted (text, stop, j + 2, "\"" :: pieces, known, start)
          else
            behind
              (text, stop, j + 1, (case pieces of [one] => one | _ => concat (rev pieces)) :: known)
        end
    in
      case read () of
        NONE => NONE
      | SOME text =>
          let
            val stop = stopOf text
          in
            SOME (if stop = 0 then [] else fields (text, stop, 0, []), text)
          end
    end
  fun next source = Option.map #1 (nextOf source)

  fun all source =
    let
      fun more records =
        case next source of SOME record => more (record :: records) | NONE => rev records
    in
      more []
    end

  fun parseWith separator text = all (openStringWith separator text)
  fun parse text = parseWith #"," text

  (* -- by the names of columns *)

  (* `text` is the first line of it. *)
  datatype row =
    Row of {fields : string vector, line : int, text : string, separator : char}

  (* `line`: that of the names; `places`: the names in order, each with its place. *)
  datatype table =
    Table of {source : source, line : int, names : string list, places : (string * int) vector}

  (* The column, in bytes, in which field k begins; that of the first field which this line does not end, if that is
     before it. *)
  fun columnOf (Row {text, separator, ...}, k) =
    let
      val (n, stop) = (size text, stopOf text)
      (* behind the quote that closes a field, or NONE *)
      fun closed i =
        let
          val j = upTo (text, n, #"\"", i)
        in
          if j = n then NONE
          else if j + 1 < n andalso String.sub (text, j + 1) = #"\"" then closed (j + 2)
          else SOME (j + 1)
        end
      fun go (i, 0) = i
        | go (i, k) =
            if i < n andalso String.sub (text, i) = #"\"" then
              case closed (i + 1) of
                SOME j => go (j + 1, k - 1)
              | NONE => i
            else go (upTo (text, stop, separator, i) + 1, k - 1)
    in
      Int.min (go (0, k), stop) + 1
    end

  fun quoted name = concat ["\"", String.toString name, "\""]

  (* By their names, those of one name from left to right. *)
  fun sorted l = ListMergeSort.sort (fn ((a, _), (b, _)) => String.> (a, b)) l

  fun withoutMark (name :: names) =
        (if String.isPrefix "\239\187\191" name then String.extract (name, 3, NONE) else name)
        :: names
    | withoutMark [] = []

  fun table (source as Source {separator, line, nextLine, again}) =
    let
      (* A quote behind the mark begins the field. *)
      val isFirst = ref (!line = 0 andalso List.null (!again))
      fun marked () =
        Option.map
          (fn text =>
            if !isFirst then
              (isFirst := false;
               case withoutMark [text] of
                 [text] => text
               | _ => text)
            else text)
          (nextLine ())
      val at = !line + 1
      val (names, text) =
        case nextOf
               (Source {separator = separator, nextLine = marked, line = line, again = again}) of
          SOME ([], _) => malformed (at, 1, "no names of columns")
        | SOME found => found
        | NONE => malformed (at, 1, "no names of columns")
      fun place k =
        columnOf
          (Row {fields = Vector.fromList names, line = at, text = text, separator = separator}, k)
      fun number (_, []) = []
        | number (k, name :: names) = (name, k) :: number (k + 1, names)
      val places = sorted (number (0, names))
      fun check ((a, _) :: (rest as (b, k) :: _)) =
            if a = b then
              malformed (at, place k, concat ["the column ", quoted a, " is there twice"])
            else check rest
        | check _ = ()
    in
      check places;
      Table {source = source, line = at, names = names, places = Vector.fromList places}
    end

  fun names (Table {names, ...}) = names

  fun nextRow (table as Table {source as Source {separator, line, ...}, places, ...}) =
    let
      val at = !line + 1
      val width = Vector.length places
    in
      case nextOf source of
        NONE => NONE
      | SOME ([], _) => nextRow table
      | SOME (fields, text) =>
          let
            val fields = Vector.fromList fields
            val row = Row {fields = fields, line = at, text = text, separator = separator}
            val n = Vector.length fields
          in
            if n = width then SOME row
            else
              malformed (at,
                         columnOf (row, Int.min (n, width)),
                         concat [Int.toString n,
                                 if n = 1 then " field" else " fields",
                                 ", but ",
                                 Int.toString width,
                                 if width = 1 then " column" else " columns"])
          end
    end

  fun rows table =
    let
      fun more found = case nextRow table of SOME row => more (row :: found) | NONE => rev found
    in
      more []
    end

  fun placeOf (Table {places, line, ...}, name) =
    case SortedNames'.find (places, name) of
      SOME k => k
    | NONE => malformed (line, 1, "no column " ^ quoted name)

  fun column table name =
    let
      val k = placeOf (table, name)
    in
      fn Row {fields, ...} => Vector.sub (fields, k)
    end

  fun columnAs table (name, f) =
    let
      val k = placeOf (table, name)
    in
      fn row as Row {fields, line, ...} =>
        let
          val field = Vector.sub (fields, k)
        in
          case f field of
            SOME x => x
          | NONE =>
              malformed
                (line, columnOf (row, k), concat [quoted field, " in the column ", quoted name])
        end
    end

  fun fields (Row {fields, ...}) = Vector.foldr op :: [] fields
  fun rowLine (Row {line, ...}) = line

  (* -- writing *)

  fun recordWith {separator, lineEnd} fields =
    let
      fun special c = c = separator orelse c = #"\"" orelse c = #"\n" orelse c = #"\r"
      (* The field from i on as pieces, where quotes are doubled; the closing one; and what comes behind. *)
      fun doubled (field, i, rest) =
        let
          val n = size field
          val j = upTo (field, n, #"\"", i)
        in
          if j < n then
            String.substring (field, i, j + 1 - i) :: "\"" :: doubled (field, j + 1, rest)
          else (if i = 0 then field else String.extract (field, i, NONE)) :: "\"" :: rest
        end
      fun write (field, rest) =
        if CharVector.exists special field then "\"" :: doubled (field, 0, rest) else field :: rest
      val between = str separator
      fun pieces [] = [lineEnd]
        | pieces [field] = write (field, [lineEnd])
        | pieces (field :: fields) = write (field, between :: pieces fields)
    in
      (* Else it would be a record without fields. *)
      concat
        (case fields of [""] => ["\"\"", lineEnd] | _ => pieces fields)
    end
  fun record fields = recordWith {separator = #",", lineEnd = "\r\n"} fields

  fun toString records = concat (List.map record records)
  fun output (stream, fields) = TextIO.output (stream, record fields)
end
