(* real: arithmetic, the functions of Math, text, bits, reals of 32 bits, rounding.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimReals' =
struct
  val real_add = _prim "real_add" : real * real -> real
  val real_sub = _prim "real_sub" : real * real -> real
  val real_mul = _prim "real_mul" : real * real -> real
  val real_div = _prim "real_div" : real * real -> real
  val real_neg = _prim "real_neg" : real -> real
  val real_abs = _prim "real_abs" : real -> real
  val real_lt = _prim "real_lt" : real * real -> bool
  val real_le = _prim "real_le" : real * real -> bool
  val real_gt = _prim "real_gt" : real * real -> bool
  val real_ge = _prim "real_ge" : real * real -> bool
  val real_eq = _prim "real_eq" : real * real -> bool
  val real_sqrt = _prim "real_sqrt" : real -> real
  val real_floor = _prim "real_floor" : real -> real
  val real_ceil = _prim "real_ceil" : real -> real
  val real_trunc = _prim "real_trunc" : real -> real

  (* To the nearest integral real, ties to even. *)
  val real_round = _prim "real_round" : real -> real
  val real_of_int = _prim "real_of_int" : int -> real

  (* A real that is integral and in range, to int; the library checks first. Out of range gives
     an unspecified int. *)
  val real_to_int_unsafe = _prim "real_to_int_unsafe" : real -> int
  val real_to_bits = _prim "real_to_bits" : real -> word
  val real_of_bits = _prim "real_of_bits" : word -> real
  val real_sin = _prim "real_sin" : real -> real
  val real_cos = _prim "real_cos" : real -> real
  val real_tan = _prim "real_tan" : real -> real
  val real_asin = _prim "real_asin" : real -> real
  val real_acos = _prim "real_acos" : real -> real
  val real_atan = _prim "real_atan" : real -> real
  val real_atan2 = _prim "real_atan2" : real * real -> real
  val real_exp = _prim "real_exp" : real -> real
  val real_ln = _prim "real_ln" : real -> real
  val real_log10 = _prim "real_log10" : real -> real
  val real_pow = _prim "real_pow" : real * real -> real
  val real_sinh = _prim "real_sinh" : real -> real
  val real_cosh = _prim "real_cosh" : real -> real
  val real_tanh = _prim "real_tanh" : real -> real
  val real_rem = _prim "real_rem" : real * real -> real

  (* real * int (mode: 0 SCI, 1 FIX, 2 GEN, 3 EXACT, 4 the toString of the Basis, 5 that with all
     digits that are needed, 6 EXACT of a real of 32 bits) * int (digits) -> string *)
  val real_fmt = _prim "real_fmt" : real * int * int -> string

  (* string (C-like syntax or with ~, already checked by the library) -> real, in the rounding
     mode that is set *)
  val real_of_string = _prim "real_of_string" : string -> real

  (* Likewise, to a real of 32 bits: the number of the text is rounded once. *)
  val single_of_string = _prim "single_of_string" : string -> real

  (* To a real of 32 bits, in the rounding mode that is set, and back. *)
  val real_to_single = _prim "real_to_single" : real -> real

  (* The bits of a real of 32 bits. *)
  val real_to_bits32 = _prim "real_to_bits32" : real -> word
  val real_of_bits32 = _prim "real_of_bits32" : word -> real

  (* 0 nearest, 1 down, 2 up, 3 to zero *)
  val real_get_rounding = _prim "real_get_rounding" : unit -> int
  val real_set_rounding = _prim "real_set_rounding" : int -> unit
end
