(* int: 64 bits, checked. div and mod round down, quot and rem to zero.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimInts' =
struct
  val int_add = _prim "int_add" : int * int -> int
  val int_sub = _prim "int_sub" : int * int -> int
  val int_mul = _prim "int_mul" : int * int -> int
  val int_div = _prim "int_div" : int * int -> int
  val int_mod = _prim "int_mod" : int * int -> int
  val int_quot = _prim "int_quot" : int * int -> int
  val int_rem = _prim "int_rem" : int * int -> int
  val int_neg = _prim "int_neg" : int -> int
  val int_abs = _prim "int_abs" : int -> int
  val int_lt = _prim "int_lt" : int * int -> bool
  val int_le = _prim "int_le" : int * int -> bool
  val int_gt = _prim "int_gt" : int * int -> bool
  val int_ge = _prim "int_ge" : int * int -> bool
  val int_eq = _prim "int_eq" : int * int -> bool

  (* int -> string with `~` *)
  val int_to_string = _prim "int_to_string" : int -> string

  (* The upper half of a signed product. *)
  val int_mul_high = _prim "int_mul_high" : int * int -> int
end
