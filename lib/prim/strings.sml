(* string: a vector of char.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimStrings' =
struct
  val string_size = _prim "string_size" : string -> int
  val string_sub = _prim "string_sub" : string * int -> char
  val string_sub_unsafe = _prim "string_sub_unsafe" : string * int -> char
  val string_eq = _prim "string_eq" : string * string -> bool

  (* -1, 0, 1 *)
  val string_compare = _prim "string_compare" : string * string -> int
  val string_lt = _prim "string_lt" : string * string -> bool
  val string_le = _prim "string_le" : string * string -> bool
  val string_gt = _prim "string_gt" : string * string -> bool
  val string_ge = _prim "string_ge" : string * string -> bool
  val string_concat = _prim "string_concat" : string * string -> string

  (* string * start * count -> string; range checked by the library. *)
  val string_extract_unsafe = _prim "string_extract_unsafe" : string * int * int -> string
end
