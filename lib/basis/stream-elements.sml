(* What streams of one kind of elements are made of, and what those that read and those that write have in common.
   For the library. *)

(* How to handle vectors and arrays of the elements at once: ranges that are given to these functions are right, so they
   need not look. *)
signature STREAM_ELEMENTS' =
sig
  structure PrimIO : PRIM_IO
  val length : PrimIO.vector -> int
  val sub : PrimIO.vector * int -> PrimIO.elem
  val extract : PrimIO.vector * int * int -> PrimIO.vector
  val concat : PrimIO.vector list -> PrimIO.vector
  val one : PrimIO.elem -> PrimIO.vector
  val part : PrimIO.vector * int * int -> PrimIO.vector_slice
  val newArray : int -> PrimIO.array
  val set : PrimIO.array * int * PrimIO.elem -> unit
  val copy : PrimIO.vector * int * PrimIO.array * int * int -> unit
  val partOfArray : PrimIO.array * int * int -> PrimIO.array_slice
  (* elements of an array to its front *)
  val shift : PrimIO.array * int * int -> unit
  (* the index behind the first line end in a range, ~1 when there is none *)
  val lineEnd : PrimIO.vector * int * int -> int
  (* a writer of a descriptor *)
  val descriptor : string * int -> PrimIO.writer
  (* length, copy and set do not call anything, nor raise: they may stand in an atomic section *)
  val isPlain : bool
end

structure StreamState' =
struct
  (* Truncated: another stream has the reader or the writer now (getReader, getWriter). *)
  datatype state = Open | Truncated | Closed

  (* The failure of a stream's function. What the program's own reader or writer raises as Io goes through as it is, and
     so does the end of a thread. *)
  fun failed (name, function, cause) =
    case cause of
      IO.Io _ => raise cause
    | Member'.Cancelled => raise cause
    | _ => raise IO.Io {name = name, function = function, cause = cause}
end
