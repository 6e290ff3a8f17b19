(* Ints as rows of 64 bits: sums and differences without a check, where the result is known to be in range or is meant to go
   around. *)
structure Bits' =
struct
  val plus = PrimWords'.word_add_ints
  val minus = PrimWords'.word_sub_ints
  val and' = PrimWords'.word_and_ints
  val shr = PrimWords'.word_shr_ints
end

(* Whether a continuation may be entered a second time: there has been a callcc, or a shift. What fills an array by calls
   of a program's function, and then gives it as a value that does not change, looks here after each call, and from then
   on never stores into an array that it may have given already. *)
structure Reentry' =
struct
  val isPossible = ref false
end
