(* AntlrStreamPos: positions in an input as counts of characters, and maps from them to files, lines and columns.
   A map is a list of places where lines begin, the last one first; positions are asked for near the end mostly. *)

signature LPT_STREAM_POS =
sig
  structure FilePos : INTEGER

  type pos = FilePos.int
  type span = pos * pos
  type sourceloc = {fileName : string option, lineNo : int, colNo : int}
  (* Lines count from 1. *)
  type sourcemap

  exception PosMustIncrease

  val forward : pos * int -> pos
  (* The position so many characters further on. *)
  val mkSourcemap : unit -> sourcemap
  (* A map without a file's name, of one line so far. *)
  val mkSourcemap' : string -> sourcemap
  (* Likewise, of the file of that name. *)
  val same : sourcemap * sourcemap -> bool
  (* Whether they are one map, so that what is marked in one is seen in the other. *)

  val markNewLine : sourcemap -> pos -> unit
  (* The position is that of a newline. One that was marked before, or is before the last one, changes nothing. *)
  val resynch : sourcemap -> pos * sourceloc -> unit
  (* From that position on it is another place, as after a #line. *)

  val sourceLoc : sourcemap -> pos -> sourceloc
  (* The file, line and column. Lines and columns count from 1; a newline counts as column 0 of the line behind it. *)
  val fileName : sourcemap -> pos -> string option
  (* The file's name, if the map was made with one or was told one since. *)
  val lineNo : sourcemap -> pos -> int
  (* The line, from 1. *)
  val colNo : sourcemap -> pos -> int
  (* The column, from 1. *)
  val toString : sourcemap -> pos -> string
  (* [file:line.column], without file: where it has no name. *)
  val spanToString : sourcemap -> span -> string
  (* [file:line.column-line.column]; as toString where both ends are the same place. *)
end

structure AntlrStreamPos : LPT_STREAM_POS =
struct
  structure FilePos = Int

  type pos = FilePos.int
  type span = pos * pos
  type sourceloc = {fileName : string option, lineNo : int, colNo : int}
  type sourcemap = (pos * sourceloc) list ref

  exception PosMustIncrease

  fun forward (p, n) : pos = p + n

  fun make fileName : sourcemap = ref [(~1, {fileName = fileName, lineNo = 1, colNo = 0})]
  fun mkSourcemap () = make NONE
  fun mkSourcemap' name = make (SOME name)
  fun same (a : sourcemap, b) = a = b

  (* The last mark that is not behind the position. *)
  fun before' (map : sourcemap, pos) =
    let
      fun find ((p : pos, loc) :: rest) = if p <= pos orelse null rest then (p, loc) else find rest
        | find [] = raise Fail "AntlrStreamPos"
    in
      find (!map)
    end

  fun markNewLine map pos =
    let
      val (p, {fileName, lineNo, ...}) = hd (!map)
    in
      if p < pos then map := (pos, {fileName = fileName, lineNo = lineNo + 1, colNo = 0}) :: !map
      else ()
    end

  fun resynch map (pos, loc) = map := (pos, loc) :: !map

  fun sourceLoc map pos =
    let
      val (p, {fileName, lineNo, colNo}) = before' (map, pos)
    in
      {fileName = fileName, lineNo = lineNo, colNo = colNo + (pos - p)}
    end
  fun fileName map pos = #fileName (sourceLoc map pos)
  fun lineNo map pos = #lineNo (sourceLoc map pos)
  fun colNo map pos = #colNo (sourceLoc map pos)

  fun place {fileName = _, lineNo, colNo} = Int.toString lineNo ^ "." ^ Int.toString colNo
  fun file ({fileName, ...} : sourceloc) = case fileName of SOME f => f ^ ":" | NONE => ""

  fun toString map pos =
    let val loc = sourceLoc map pos in concat ["[", file loc, place loc, "]"] end

  fun spanToString map (from, to) =
    let
      val a = sourceLoc map from
      val b = sourceLoc map to
    in
      if place a = place b then toString map from
      else concat ["[", file a, place a, "-", place b, "]"]
    end
end
