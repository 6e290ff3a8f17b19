(* CSV: records of fields as text with a separator between fields (RFC 4180), read and written.

   A field in quotes may have separators, line ends and, written twice, quotes in it. A line ends with a newline, or with
   a carriage return and a newline; the last one need not end. An empty line is a record without fields. A quote behind a
   field's first character is a character like others. *)

signature CSV =
sig
  exception Malformed of {line : int, column : int, reason : string}
  (* The text is no such table; lines and columns count from 1, columns in bytes. *)

  val parse : string -> string list list
  (* The records of a text with commas. Raises Malformed. *)
  val parseWith : char -> string -> string list list
  (* The same with another separator. *)

  type source
  (* Where records are read from, one after the other. *)

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

  datatype source = Source of {separator : char, nextLine : unit -> string option, line : int ref}

  fun openWith {separator, nextLine} =
    Source {separator = separator, nextLine = nextLine, line = ref 0}
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

  fun next (Source {separator, nextLine, line}) =
    let
      fun read () =
        case nextLine () of
          NONE => NONE
        | SOME text => (line := !line + 1; SOME text)

      (* Where the fields of a line stop. *)
      fun stopOf text =
        let
          val n = size text
        in
          if n = 0 orelse String.sub (text, n - 1) <> #"\n" then n
          else if n > 1 andalso String.sub (text, n - 2) = #"\r" then n - 2
          else n - 1
        end

      fun upTo (text, stop, c, i) =
        if i < stop andalso String.sub (text, i) <> c then upTo (text, stop, c, i + 1) else i

      fun malformed (line, column, reason) =
        raise Malformed {line = line, column = column, reason = reason}

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
            SOME (if stop = 0 then [] else fields (text, stop, 0, []))
          end
    end

  fun all source =
    let
      fun more records =
        case next source of SOME record => more (record :: records) | NONE => rev records
    in
      more []
    end

  fun parseWith separator text = all (openStringWith separator text)
  fun parse text = parseWith #"," text

  fun recordWith {separator, lineEnd} fields =
    let
      fun special c = c = separator orelse c = #"\"" orelse c = #"\n" orelse c = #"\r"
      fun quote field =
        concat ["\"", String.translate (fn #"\"" => "\"\"" | c => str c) field, "\""]
      fun write field = if CharVector.exists special field then quote field else field
    in
      case fields of
        (* Else it would be a record without fields. *)
        [""] => "\"\"" ^ lineEnd
      | _ => String.concatWith (str separator) (List.map write fields) ^ lineEnd
    end
  fun record fields = recordWith {separator = #",", lineEnd = "\r\n"} fields

  fun toString records = concat (List.map record records)
  fun output (stream, fields) = TextIO.output (stream, record fields)
end
