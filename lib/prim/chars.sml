(* char.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimChars' =
struct
  val char_lt = _prim "char_lt" : char * char -> bool
  val char_le = _prim "char_le" : char * char -> bool
  val char_gt = _prim "char_gt" : char * char -> bool
  val char_ge = _prim "char_ge" : char * char -> bool
end
