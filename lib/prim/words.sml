(* word: 64 bits, modular; shift counts of 64 and more give 0 (or the sign). word8 is kept
   zero-extended. Then reinterpretations and truncations between integer-like types.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimWords' =
struct
  val word_add = _prim "word_add" : word * word -> word
  val word_add_ints = _prim "word_add" : int * int -> int
  val word_sub = _prim "word_sub" : word * word -> word
  val word_sub_ints = _prim "word_sub" : int * int -> int
  val word_mul = _prim "word_mul" : word * word -> word
  val word_div = _prim "word_div" : word * word -> word
  val word_mod = _prim "word_mod" : word * word -> word
  val word_neg = _prim "word_neg" : word -> word
  val word_lt = _prim "word_lt" : word * word -> bool
  val word_le = _prim "word_le" : word * word -> bool
  val word_gt = _prim "word_gt" : word * word -> bool
  val word_ge = _prim "word_ge" : word * word -> bool
  val word_and = _prim "word_and" : word * word -> word
  val word_and_ints = _prim "word_and" : int * int -> int
  val word_or = _prim "word_or" : word * word -> word
  val word_xor = _prim "word_xor" : word * word -> word
  val word_not = _prim "word_not" : word -> word
  val word_shl = _prim "word_shl" : word * word -> word
  val word_shr = _prim "word_shr" : word * word -> word
  val word_shr_ints = _prim "word_shr" : int * int -> int
  val word_sar = _prim "word_sar" : word * word -> word

  (* The same 64 bits at another type: int, word, char, word8 as the annotation says. The library
     checks ranges first. *)
  val bits = _prim "bits" : 'a -> 'b

  (* Low 8, 16, 32 bits, zero-extended. *)
  val zext8 = _prim "zext8" : 'a -> 'b
  val zext16 = _prim "zext16" : 'a -> 'b
  val zext32 = _prim "zext32" : 'a -> 'b

  (* Low 8, 16, 32 bits, sign-extended. *)
  val sext8 = _prim "sext8" : 'a -> 'b
  val sext16 = _prim "sext16" : 'a -> 'b
  val sext32 = _prim "sext32" : 'a -> 'b
  val word8_add = _prim "word8_add" : word8 * word8 -> word8
  val word8_sub = _prim "word8_sub" : word8 * word8 -> word8
  val word8_mul = _prim "word8_mul" : word8 * word8 -> word8
  val word8_div = _prim "word8_div" : word8 * word8 -> word8
  val word8_mod = _prim "word8_mod" : word8 * word8 -> word8
  val word8_neg = _prim "word8_neg" : word8 -> word8
  val word8_lt = _prim "word8_lt" : word8 * word8 -> bool
  val word8_le = _prim "word8_le" : word8 * word8 -> bool
  val word8_gt = _prim "word8_gt" : word8 * word8 -> bool
  val word8_ge = _prim "word8_ge" : word8 * word8 -> bool
end
