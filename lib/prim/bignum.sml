(* Numbers of many words: arrays of words, least first; the library checks ranges. Fields are (array, index,
 * count).
 *
 * Each is a row of runtime/abi/src/prim/table.rs, which this is compared with. *)
structure PrimBignum' =
struct
   (* dst, di, dn, src, si, sn -> word: adds the second number into the first (sn <= dn); the carry. *)
   val mp_add = _prim "mp_add" : word array * int * int * word array * int * int -> word

   (* Likewise subtracts; the borrow. *)
   val mp_sub = _prim "mp_sub" : word array * int * int * word array * int * int -> word

   (* dst, a, ai, an, b, bi, bn: writes the product to the first an + bn words of dst, which is neither a nor
    * b. *)
   val mp_mul = _prim "mp_mul" : word array * word array * int * int * word array * int * int -> unit

   (* dst, n, factor, addend -> word: multiplies in place and adds; the carry. *)
   val mp_mul_word = _prim "mp_mul_word" : word array * int * word * word -> word

   (* dst, n, divisor -> word: divides in place; the remainder. *)
   val mp_div_word = _prim "mp_div_word" : word array * int * word -> word

   (* dst, n, bits below 64 -> word: shifts in place; the bits shifted out. *)
   val mp_shl = _prim "mp_shl" : word array * int * word -> word
   val mp_shr = _prim "mp_shr" : word array * int * word -> word

   (* a, ai, b, bi, n -> int: -1, 0, 1 *)
   val mp_compare = _prim "mp_compare" : word array * int * word array * int * int -> int

   (* u, j, v, n -> word: one step of long division (Knuth's D3 to D6): the digit j of the quotient,
    * subtracted from u. *)
   val mp_div_step = _prim "mp_div_step" : word array * int * word array * int -> word
end
