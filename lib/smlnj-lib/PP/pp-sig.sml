(* The signatures of pretty printing: what is printed on, what is printed, the streams, and layouts as values. *)

signature PP_DEVICE =
sig
  type device
  (* What text goes to: a file, a terminal, a buffer. *)
  type style
  (* How text may look; nested. *)

  val sameStyle : style * style -> bool
  val pushStyle : device * style -> unit
  val popStyle : device -> unit
  val defaultStyle : device -> style

  (* NONE: no limit *)

  val maxDepth : device -> int option
  (* Boxes that are nested deeper become the ellipses. *)
  val setMaxDepth : device * int option -> unit
  val ellipses : device -> string * int
  (* With its width. *)
  val setEllipses : device * string -> unit
  val setEllipsesWithSz : device * string * int -> unit
  val lineWidth : device -> int option
  val setLineWidth : device * int option -> unit
  val maxIndent : device -> int option
  val setMaxIndent : device * int option -> unit
  val textWidth : device -> int option
  (* Without the indentation. *)
  val setTextWidth : device * int option -> unit

  val indent : device * int -> unit
  (* Spaces at a line's beginning. *)
  val space : device * int -> unit
  val newline : device -> unit
  val string : device * string -> unit
  val char : device * char -> unit
  val flush : device -> unit
end

signature PP_TOKEN =
sig
  type token
  type style

  val string : token -> string
  val style : token -> style
  val size : token -> int
  (* How wide it appears. *)
end

signature PP_STREAM =
sig
  type device
  type stream
  type token
  type style

  datatype indent
    = Abs of int
    | Rel of int
  (* Of the lines of a box: from the indentation of the box around it, or from the column where it begins. *)

  val openStream : device -> stream
  (* Reads the device's limits. *)
  val flushStream : stream -> unit
  (* Writes everything; open boxes are closed. *)
  val closeStream : stream -> unit
  val getDevice : stream -> device

  (* Boxes: what their breaks become. A box that fits in the line stays in it, but for vertical ones. *)

  val openHBox : stream -> unit
  (* Spaces, all of them. *)
  val openVBox : stream -> indent -> unit
  (* New lines, all of them. *)
  val openHVBox : stream -> indent -> unit
  (* New lines, all of them. *)
  val openHOVBox : stream -> indent -> unit
  (* A new line where the text up to the next break does not fit. *)
  val openBox : stream -> indent -> unit
  (* Likewise, and where a new line would be less indented than this one. *)
  val closeBox : stream -> unit
  (* Raises Fail if none is open. *)

  val token : stream -> token -> unit
  val string : stream -> string -> unit
  val pushStyle : stream * style -> unit
  val popStyle : stream -> unit

  val break : stream -> {nsp : int, offset : int} -> unit
  (* So many spaces, or a new line with so much more indentation. *)
  val space : stream -> int -> unit
  (* A break without offset. *)
  val cut : stream -> unit
  (* A break of no spaces. *)
  val newline : stream -> unit
  (* In any box. *)
  val nbSpace : stream -> int -> unit
  (* Spaces, no break. *)
  val control : stream -> (device -> unit) -> unit
  (* Done when the text before it is out. *)
end

signature PP_DESC =
sig
  structure PPS : PP_STREAM

  type pp_desc

  val hBox : pp_desc list -> pp_desc
  val vBox : PPS.indent * pp_desc list -> pp_desc
  val hvBox : PPS.indent * pp_desc list -> pp_desc
  val hovBox : PPS.indent * pp_desc list -> pp_desc
  val box : PPS.indent * pp_desc list -> pp_desc
  val token : PPS.token -> pp_desc
  val string : string -> pp_desc
  val style : PPS.style * pp_desc list -> pp_desc
  val break : {nsp : int, offset : int} -> pp_desc
  val space : int -> pp_desc
  val cut : pp_desc
  val newline : pp_desc
  val nbSpace : int -> pp_desc
  val control : (PPS.device -> unit) -> pp_desc

  val description : PPS.stream * pp_desc -> unit
end
