(* Ints as rows of 64 bits: sums and differences without a check, where the result is known to be in range or is meant to go
   around. *)
structure Bits' =
struct
  val plus = PrimWords'.word_add_ints
  val minus = PrimWords'.word_sub_ints
  val and' = PrimWords'.word_and_ints
  val shr = PrimWords'.word_shr_ints
end
