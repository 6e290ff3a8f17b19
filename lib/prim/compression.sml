(* Gzip, zlib and deflate, piece by piece.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimCompression' =
struct
  (* format (0 gzip, 1 zlib, 2 deflate) * level (0 to 9; negative: to decompress) -> a stream *)
  val zip_new = _prim "zip_new" : int * int -> int

  (* stream * input * where it begins * (0, 1 to flush, 2 at the end) -> what comes of some of it *)
  val zip_step = _prim "zip_step" : int * string * int * int -> string

  (* stream * 0 -> how much of its input the last step has used; * 1 -> 0 it goes on, 1 it has
     ended, 2 it is broken or closed *)
  val zip_told = _prim "zip_told" : int * int -> int

  (* stream -> unit: its memory is freed, but for a few words. *)
  val zip_close = _prim "zip_close" : int -> unit

  (* stream -> unit: nobody has it any more. *)
  val zip_free = _prim "zip_free" : int -> unit
end
