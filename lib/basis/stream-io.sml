(* StreamIO: input as lazy streams, output by way of a buffer, over readers and writers.

   Reading is stream-input.sml, writing stream-output.sml. What is here joins the two: once for elements that the
   library knows (text-io.sml has the streams of characters and of bytes), and as the Basis's functor for a program's
   own. *)

signature STREAM_IO =
sig
  type elem
  type vector
  type instream
  type outstream
  type out_pos
  type reader
  type writer
  type pos

  (* What is there, at least one element, and the stream behind it; blocks until there is one. Empty at the end. *)
  val input : instream -> vector * instream
  (* SOME of the next element and the stream behind it, or NONE at the end; blocks until it is known. *)
  val input1 : instream -> (elem * instream) option
  (* The next n elements, fewer only at the end, and the stream behind them. Blocks until they are there. Raises Size
     when n is negative or too large. *)
  val inputN : instream * int -> vector * instream
  (* All up to the end, and the stream there; blocks until the end is there. *)
  val inputAll : instream -> vector * instream
  (* How many elements can be read without blocking, n at most; SOME 0 at the end of the stream, NONE when there are
     none yet. *)
  val canInput : instream * int -> int option
  (* Closes the stream: what was read already stays, then it ends. Twice is once. *)
  val closeIn : instream -> unit
  (* Whether the stream is at its end; blocks until it is known. *)
  val endOfStream : instream -> bool
  (* Writes the elements, into the stream's buffer first. Raises Io when the stream is closed or the system
     refuses. *)
  val output : outstream * vector -> unit
  (* Writes one element, into the stream's buffer first. Raises Io as `output`. *)
  val output1 : outstream * elem -> unit
  (* Gives what is in the buffer to the system. Raises Io when the system refuses. *)
  val flushOut : outstream -> unit
  (* Writes what is in the buffer and closes the stream. Twice is once. Raises Io, and leaves the stream open, when the
     buffer cannot be written. *)
  val closeOut : outstream -> unit
  (* A stream of the vector's elements, then of what the reader gives. *)
  val mkInstream : reader * vector -> instream
  (* The stream ends here for others: gives its reader, and what was read and not yet taken. Raises Io when it is
     closed. *)
  val getReader : instream -> reader * vector
  (* The place in the file that the stream has come to. Raises Io when the reader has no places. *)
  val filePosIn : instream -> pos
  (* Sets when output goes to the system: at once, at ends of lines, or when the buffer is full. NO_BUF flushes. *)
  val setBufferMode : outstream * IO.buffer_mode -> unit
  (* When output goes to the system. *)
  val getBufferMode : outstream -> IO.buffer_mode
  (* A stream that gives its output to the writer. *)
  val mkOutstream : writer * IO.buffer_mode -> outstream
  (* Ends the stream: writes what is in the buffer, and gives the writer and the buffer mode. Raises Io when it is
     closed. *)
  val getWriter : outstream -> writer * IO.buffer_mode
  (* The current place in the output. Raises Io when the writer has no places. *)
  val getPosOut : outstream -> out_pos
  (* Goes to that place: what is written next stands there. Raises Io when the writer has no places. *)
  val setPosOut : out_pos -> outstream
  (* The place in the file that this is. *)
  val filePosOut : out_pos -> pos
end

(* Both, for elements that can be handled quickly. *)
functor StreamIO' (Elements : STREAM_ELEMENTS') =
struct
  structure Input = StreamInput' (Elements)
  structure Output = StreamOutput' (Elements)
  open Input Output
end

functor StreamIO
  (structure PrimIO : PRIM_IO
   structure Vector : MONO_VECTOR
   structure VectorSlice : MONO_VECTOR_SLICE
   structure Array : MONO_ARRAY
   structure ArraySlice : MONO_ARRAY_SLICE
   sharing type PrimIO.elem = Vector.elem = VectorSlice.elem = Array.elem = ArraySlice.elem
   sharing type PrimIO.vector = Vector.vector = VectorSlice.vector = Array.vector
     = ArraySlice.vector
   sharing type PrimIO.vector_slice = VectorSlice.slice = ArraySlice.vector_slice
   sharing type PrimIO.array = Array.array = ArraySlice.array
   sharing type PrimIO.array_slice = ArraySlice.slice
   val someElem : PrimIO.elem) : STREAM_IO
  where type elem = PrimIO.elem
  where type vector = PrimIO.vector
  where type reader = PrimIO.reader
  where type writer = PrimIO.writer
  where type pos = PrimIO.pos =
struct
  structure S =
    StreamIO' (structure PrimIO = PrimIO
               val length = Vector.length
               val sub = Vector.sub
               fun part (v, i, n) = VectorSlice.slice (v, i, SOME n)
               fun extract (v, i, n) =
                 if n = length v then v else VectorSlice.vector (part (v, i, n))
               val concat = Vector.concat
               fun one x = Vector.fromList [x]
               fun newArray n = Array.array (n, someElem)
               val set = Array.update
               fun copy (v, i, a, j, n) = ArraySlice.copyVec {src = part (v, i, n), dst = a, di = j}
               fun partOfArray (a, i, n) = ArraySlice.slice (a, i, SOME n)
               fun lineEnd _ = ~1
               fun descriptor _ = PrimIO.nullWr ()
               fun shift (a, i, n) = ArraySlice.copy {src = partOfArray (a, i, n), dst = a, di = 0}
               (* the program's own functions *)
               val isPlain = false)
  open S
end

(* What StreamIO' makes of one kind of elements, as the functors below use it. *)
signature STREAMS' =
sig
  type elem
  type vector
  type pos
  type source
  type next
  datatype node = Node of {data : vector, base : pos option, next : next ref, source : source}
  type instream = node * int
  type outstream
  type out_pos
  (* of arrays of elements *)
  type slice
  val empty : vector
  val node : source * vector * pos option -> node
  val sourceName : source -> string
  (* how much its reader likes to give at once *)
  val chunkOf : source -> int
  (* how much there is, if that is known *)
  val available : source -> int option
  val position : source -> pos option
  (* alone with the reader; what there is if it must not be asked any more *)
  val reading : source * 'a -> (unit -> 'a) -> 'a
  (* the same, if no other thread is there *)
  val readingAtOnce : source * 'a -> (unit -> 'a) -> 'a
  (* as readArr and readVecNB; raise Io with the function's name *)
  val readInto : source * slice * string -> int
  val readSoon : source * string -> vector option
  (* hangs what was read, and where, on the end of a chain *)
  val append : node * pos option * vector -> unit
  val input : instream -> vector * instream
  val input1 : instream -> (elem * instream) option
  val inputN : instream * int -> vector * instream
  val inputAll : instream -> vector * instream
  val canInput : instream * int -> int option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val getPosOut : outstream -> out_pos
  val setPosOut : out_pos -> outstream
  (* the descriptor behind the stream, if there is one *)
  val descriptorIn : instream -> int option
  (* whether the reader can be asked for what is there; else it can only wait *)
  val isAsked : instream -> bool
  (* as canInput; NONE where the reader can only wait *)
  val thereIn : instream * int -> int option
  (* what is set when something follows this place, and whether it is new; NONE: something follows *)
  val growing : instream -> (Event'.condition * bool) option
  (* as if something had followed *)
  val tellIn : instream -> unit
  (* whether a read may wait for a descriptor *)
  val mayWaitIn : instream -> bool
  val nameIn : instream -> string
end
