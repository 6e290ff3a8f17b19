(* Devices: files, buffers, terminals with colours; and the streams on them. *)

structure StringToken : PP_TOKEN where type token = string where type style = unit =
struct
  type token = string
  type style = unit
  fun string s = s
  fun style _ = ()
  val size = String.size
end

signature DEVICE_OPS =
sig
  type t
  type style
  val sameStyle : style * style -> bool
  (* Whether text looks the same in both. *)
  val pushStyle : t * style -> unit
  (* Text looks so from now on, until popStyle. *)
  val popStyle : t -> unit
  (* Text looks as it did before the last pushStyle. *)
  val defaultStyle : t -> style
  (* How text looks while no style is pushed. *)
  val indent : t * int -> unit
  (* So many spaces at a line's beginning. *)
  val space : t * int -> unit
  (* So many spaces within a line. *)
  val newline : t -> unit
  (* Ends the line. *)
  val string : t * string -> unit
  (* Puts out the text as it is. *)
  val char : t * char -> unit
  (* Puts out one character. *)
  val flush : t -> unit
  (* Whatever is kept back goes where it belongs. *)
end

(* The limits of a device, beside what text is put out with. *)
functor DefaultDeviceFn (D : DEVICE_OPS) : sig
  include PP_DEVICE where type style = D.style
  structure DevOps : DEVICE_OPS where type t = D.t where type style = D.style
  val new : DevOps.t -> device
  (* A device without limits, with ... as ellipses. *)
  val newWithWidth : DevOps.t * int -> device
  (* Likewise, with so many columns in a line. *)
  val newWithProps :
    {ops : DevOps.t,
     maxDepth : int option,
     ellipses : string * int,
     lineW : int option,
     textW : int option,
     maxIndent : int option}
    -> device
  (* A device with all its limits; NONE is no limit. The width of the ellipses stands beside them. *)
end =
struct
  structure DevOps = D
  type style = D.style

  datatype device =
    Dev of
        {ops : D.t,
         depth : int option ref,
         ellipses : (string * int) ref,
         line : int option ref,
         text : int option ref,
         indent : int option ref}

  fun newWithProps {ops, maxDepth, ellipses, lineW, textW, maxIndent} =
    Dev {ops = ops,
         depth = ref maxDepth,
         ellipses = ref ellipses,
         line = ref lineW,
         text = ref textW,
         indent = ref maxIndent}
  fun newOf (ops, lineW) =
    newWithProps {ops = ops,
                  maxDepth = NONE,
                  ellipses = ("...", 3),
                  lineW = lineW,
                  textW = NONE,
                  maxIndent = NONE}
  fun new ops = newOf (ops, NONE)
  fun newWithWidth (ops, n) = newOf (ops, SOME n)

  val sameStyle = D.sameStyle
  fun pushStyle (Dev {ops, ...}, style) = D.pushStyle (ops, style)
  fun popStyle (Dev {ops, ...}) = D.popStyle ops
  fun defaultStyle (Dev {ops, ...}) = D.defaultStyle ops

  fun maxDepth (Dev {depth, ...}) = !depth
  fun setMaxDepth (Dev {depth, ...}, n) = depth := n
  fun ellipses (Dev {ellipses, ...}) = !ellipses
  fun setEllipses (Dev {ellipses, ...}, s) = ellipses := (s, size s)
  fun setEllipsesWithSz (Dev {ellipses, ...}, s, n) = ellipses := (s, n)
  fun lineWidth (Dev {line, ...}) = !line
  fun setLineWidth (Dev {line, ...}, n) = line := n
  fun maxIndent (Dev {indent, ...}) = !indent
  fun setMaxIndent (Dev {indent, ...}, n) = indent := n
  fun textWidth (Dev {text, ...}) = !text
  fun setTextWidth (Dev {text, ...}, n) = text := n

  fun indent (Dev {ops, ...}, n) = D.indent (ops, n)
  fun space (Dev {ops, ...}, n) = D.space (ops, n)
  fun newline (Dev {ops, ...}) = D.newline ops
  fun string (Dev {ops, ...}, s) = D.string (ops, s)
  fun char (Dev {ops, ...}, c) = D.char (ops, c)
  fun flush (Dev {ops, ...}) = D.flush ops
end

(* Text without styles, by the function that puts it out. *)
structure PlainOps' =
struct
  type t = {put : string -> unit, flush : unit -> unit}
  type style = unit
  fun sameStyle _ = true
  fun pushStyle _ = ()
  fun popStyle _ = ()
  fun defaultStyle _ = ()
  fun space ({put, ...} : t, n) = put (CharVector.tabulate (n, fn _ => #" "))
  val indent = space
  fun newline ({put, ...} : t) = put "\n"
  fun string ({put, ...} : t, s) = put s
  fun char ({put, ...} : t, c) = put (str c)
  fun flush ({flush, ...} : t) = flush ()

  fun file dst = {put = fn s => TextIO.output (dst, s), flush = fn () => TextIO.flushOut dst}
  fun buffer dst = {put = fn s => CharBuffer.addVec (dst, s), flush = fn () => ()}
end

structure PlainDev' = DefaultDeviceFn (PlainOps')

structure SimpleTextIODev : sig
  include PP_DEVICE where type style = unit
  val openDev : {dst : TextIO.outstream, wid : int} -> device
  (* A device that writes to the stream, with so many columns in a line. Its flush flushes the stream. *)
end =
struct
  open PlainDev'
  fun openDev {dst, wid} = newWithWidth (PlainOps'.file dst, wid)
end

structure CharBufferDev : sig
  include PP_DEVICE where type style = unit
  val openDev : {dst : CharBuffer.buf, wid : int} -> device
  (* A device that adds to the buffer, with so many columns in a line. *)
end =
struct
  open PlainDev'
  fun openDev {dst, wid} = newWithWidth (PlainOps'.buffer dst, wid)
end

structure TextIOPP : sig
  include
    PP_STREAM
      where type token = string
      where type device = SimpleTextIODev.device
      where type style = unit
  val openOut : {dst : TextIO.outstream, wid : int} -> stream
  (* Prints on the stream, with so many columns in a line. Raises Size if they are none. *)
end =
struct
  structure PP = PPStreamFn (structure Token = StringToken structure Device = SimpleTextIODev)
  open PP
  fun openOut arg = openStream (SimpleTextIODev.openDev arg)
end

structure CharBufferPP : sig
  include PP_STREAM where type token = string where type style = unit
  val openBuf : {dst : CharBuffer.buf, wid : int} -> stream
  (* Prints into the buffer, with so many columns in a line. Raises Size if they are none. *)
end =
struct
  structure PP = PPStreamFn (structure Token = StringToken structure Device = CharBufferDev)
  open PP
  fun openBuf arg = openStream (CharBufferDev.openDev arg)
end

structure TextPP : sig
  include PP_STREAM where type token = string where type style = unit
  val openOutstream : {dst : TextIO.outstream, wid : int} -> stream
  (* Prints on the stream, with so many columns in a line. Raises Size if they are none. *)
  val openBuffer : {dst : CharBuffer.buf, wid : int} -> stream
  (* Prints into the buffer, with so many columns in a line. Raises Size if they are none. *)
  val openOut : {dst : TextIO.outstream, wid : int} -> stream
  (* The same as openOutstream. *)
end =
struct
  structure PP = PPStreamFn (structure Token = StringToken structure Device = PlainDev')
  open PP
  fun openOutstream {dst, wid} = openStream (PlainDev'.newWithWidth (PlainOps'.file dst, wid))
  fun openBuffer {dst, wid} = openStream (PlainDev'.newWithWidth (PlainOps'.buffer dst, wid))
  val openOut = openOutstream
end

(* A terminal's styles add up: inner text has the outer styles too, as far as it does not say otherwise. *)
structure ANSITermDev : sig
  include PP_DEVICE where type style = ANSITerm.style list
  val openDev : {dst : TextIO.outstream, wid : int} -> device
  (* A device that writes to the stream, with so many columns in a line. It writes styles if the stream is a terminal, until
     styleMode says otherwise. *)
  val styleMode : device * bool option -> bool
  (* Whether styles are written; sets it if there is a second argument, and answers what it was. *)
end =
struct
  structure Ops =
  struct
    type t = {plain : PlainOps'.t, on : bool ref, outer : ANSITerm.style list list ref}
    type style = ANSITerm.style list

    fun sameStyle (a : style, b) = a = b
    fun defaultStyle _ = []
    (* All that is in force, from the outside in. *)
    fun switch ({plain, on, outer} : t) =
      if !on then #put plain (ANSITerm.toString (ANSITerm.RESET :: List.concat (rev (!outer))))
      else ()
    fun pushStyle (t as {outer, ...} : t, style) = (outer := style :: !outer; switch t)
    fun popStyle (t as {outer, ...} : t) =
      case !outer of
        _ :: rest => (outer := rest; switch t)
      | [] => ()
    fun space ({plain, ...} : t, n) = PlainOps'.space (plain, n)
    val indent = space
    fun newline ({plain, ...} : t) = PlainOps'.newline plain
    fun string ({plain, ...} : t, s) = PlainOps'.string (plain, s)
    fun char ({plain, ...} : t, c) = PlainOps'.char (plain, c)
    fun flush ({plain, ...} : t) = PlainOps'.flush plain
  end

  (* The operations stay within reach for styleMode. *)
  structure Device = DefaultDeviceFn (Ops)
  type device = Device.device * bool ref
  type style = Ops.style

  val sameStyle = Ops.sameStyle
  fun lifted f ((device, _) : device) = f device
  fun lifted2 f ((device, _) : device, x) = f (device, x)
  val pushStyle = lifted2 Device.pushStyle
  val popStyle = lifted Device.popStyle
  val defaultStyle = lifted Device.defaultStyle
  val maxDepth = lifted Device.maxDepth
  val setMaxDepth = lifted2 Device.setMaxDepth
  val ellipses = lifted Device.ellipses
  val setEllipses = lifted2 Device.setEllipses
  fun setEllipsesWithSz ((device, _) : device, s, n) = Device.setEllipsesWithSz (device, s, n)
  val lineWidth = lifted Device.lineWidth
  val setLineWidth = lifted2 Device.setLineWidth
  val maxIndent = lifted Device.maxIndent
  val setMaxIndent = lifted2 Device.setMaxIndent
  val textWidth = lifted Device.textWidth
  val setTextWidth = lifted2 Device.setTextWidth
  val indent = lifted2 Device.indent
  val space = lifted2 Device.space
  val newline = lifted Device.newline
  val string = lifted2 Device.string
  val char = lifted2 Device.char
  val flush = lifted Device.flush

  (* A stream without a descriptor is no terminal. *)
  fun isTerminal dst =
    Posix.ProcEnv.isatty (MLton.TextIO.outFd dst) handle Fail _ => false | OS.SysErr _ => false

  fun openDev {dst, wid} =
    let
      val on = ref (isTerminal dst)
    in
      (Device.newWithWidth ({plain = PlainOps'.file dst, on = on, outer = ref []}, wid), on)
    end

  fun styleMode ((_, on) : device, new) =
    !on before (case new of SOME b => on := b | NONE => ())
end

structure ANSITermPP : sig
  structure Tok :
  sig
    include PP_TOKEN where type style = ANSITermDev.style
    val token : ANSITermDev.style * string -> token
    (* Text that looks so. It is as wide as it has characters. *)
  end
  include
    PP_STREAM
      where type device = ANSITermDev.device
      where type style = ANSITermDev.style
      where type token = Tok.token
  val openOut : {dst : TextIO.outstream, wid : int} -> stream
  (* Prints on the stream, with so many columns in a line, and writes the styles if it is a terminal. Raises Size if
     there are no columns. *)
end =
struct
  structure Tok =
  struct
    type style = ANSITermDev.style
    type token = style * string
    fun string (_, s) = s
    fun style (style, _) = style
    fun size (_, s) = String.size s
    fun token t = t
  end
  structure PP = PPStreamFn (structure Token = Tok structure Device = ANSITermDev)
  open PP
  fun openOut arg = openStream (ANSITermDev.openDev arg)
end
