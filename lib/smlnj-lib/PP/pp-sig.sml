(* The signatures of pretty printing: what is printed on, what is printed, the streams, and layouts as values. *)

signature PP_DEVICE =
sig
  type device
  (* What text goes to: a file, a terminal, a buffer. *)
  type style
  (* How text may look; nested. *)

  val sameStyle : style * style -> bool
  (* Whether text looks the same in both. *)
  val pushStyle : device * style -> unit
  (* Text looks so from now on, until popStyle. *)
  val popStyle : device -> unit
  (* Text looks as it did before the last pushStyle. *)
  val defaultStyle : device -> style
  (* How text looks while no style is pushed. *)

  (* NONE: no limit *)

  val maxDepth : device -> int option
  (* Boxes that are nested deeper become the ellipses. *)
  val setMaxDepth : device * int option -> unit
  (* Sets that limit, for streams that are opened later. *)
  val ellipses : device -> string * int
  (* The text for what is nested too deep, with its width. *)
  val setEllipses : device * string -> unit
  (* Sets that text; it is as wide as it has characters. *)
  val setEllipsesWithSz : device * string * int -> unit
  (* Sets that text and its width. *)
  val lineWidth : device -> int option
  (* How many columns a line has. *)
  val setLineWidth : device * int option -> unit
  (* Sets that limit, for streams that are opened later. *)
  val maxIndent : device -> int option
  (* The greatest indentation of a line. *)
  val setMaxIndent : device * int option -> unit
  (* Sets that limit, for streams that are opened later. *)
  val textWidth : device -> int option
  (* How wide a line may be without the indentation. Streams of PPStreamFn do not look at it. *)
  val setTextWidth : device * int option -> unit
  (* Sets that limit. *)

  val indent : device * int -> unit
  (* Spaces at a line's beginning. *)
  val space : device * int -> unit
  (* So many spaces. *)
  val newline : device -> unit
  (* The line's end. *)
  val string : device * string -> unit
  (* The text as it is. *)
  val char : device * char -> unit
  (* One character. *)
  val flush : device -> unit
  (* Whatever the device keeps back goes where it belongs. *)
end

signature PP_TOKEN =
sig
  type token
  type style

  val string : token -> string
  (* The text that is printed. *)
  val style : token -> style
  (* How it looks. *)
  val size : token -> int
  (* How wide it appears. *)
end

signature PP_STREAM =
sig
  type device
  type stream
  type token
  type style

  datatype indent =
      Abs of int
    | Rel of int
  (* Of the lines of a box: from the indentation of the box around it, or from the column where it begins. *)

  val openStream : device -> stream
  (* Reads the device's limits. *)
  val flushStream : stream -> unit
  (* Writes everything; open boxes are closed. *)
  val closeStream : stream -> unit
  (* The same as flushStream; the device is not closed, and the stream may still be used. *)
  val getDevice : stream -> device
  (* What the stream was opened on. *)

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
  (* Text in the token's style, as wide as the token says. *)
  val string : stream -> string -> unit
  (* Text in the current style, as wide as it has characters. A \n inside it is not seen: newline makes lines. *)
  val pushStyle : stream * style -> unit
  (* Strings look so from now on; other tokens keep their own style. *)
  val popStyle : stream -> unit
  (* The style is again what it was before the last pushStyle. Raises Fail if none is pushed. *)

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
  (* The layouts side by side: PPS.openHBox. *)
  val vBox : PPS.indent * pp_desc list -> pp_desc
  (* Each break a new line: PPS.openVBox. *)
  val hvBox : PPS.indent * pp_desc list -> pp_desc
  (* All on one line, or each break a new line: PPS.openHVBox. *)
  val hovBox : PPS.indent * pp_desc list -> pp_desc
  (* As much on each line as fits: PPS.openHOVBox. *)
  val box : PPS.indent * pp_desc list -> pp_desc
  (* Likewise, with a new line also where it would be less indented than this one: PPS.openBox. *)
  val token : PPS.token -> pp_desc
  (* A token in its style. *)
  val string : string -> pp_desc
  (* Text in the style that is around it. *)
  val style : PPS.style * pp_desc list -> pp_desc
  (* The layouts in that style. *)
  val break : {nsp : int, offset : int} -> pp_desc
  (* So many spaces, or a new line with so much more indentation than its box. *)
  val space : int -> pp_desc
  (* A break of so many spaces, without offset. *)
  val cut : pp_desc
  (* A break of no spaces. *)
  val newline : pp_desc
  (* A new line in any box. *)
  val nbSpace : int -> pp_desc
  (* So many spaces that never become a new line. *)
  val control : (PPS.device -> unit) -> pp_desc
  (* The function is called when the text before it is out. *)

  val description : PPS.stream * pp_desc -> unit
  (* Prints the layout on the stream. It may be printed again, on any stream. *)
end
