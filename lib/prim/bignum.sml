(* Numbers of many words: arrays of words, least first; the library checks ranges. Fields are
   (array, index, count). Nobody can stop the program meanwhile, so no call has more than 16384
   words, or 200,000 products of words.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimBignum' =
struct
  (* dst, di, dn, src, si, sn -> word: adds the second number into the first (sn <= dn); the
     carry. *)
  val mp_add = _prim "mp_add" : word array * int * int * word array * int * int -> word

  (* Likewise subtracts; the borrow. *)
  val mp_sub = _prim "mp_sub" : word array * int * int * word array * int * int -> word

  (* dst, a, ai, an, b, bi, bn, room: writes the product to the first an + bn words of dst, which
     is neither a nor b. If the shorter one has n >= 32 words, the room has 8 n + 256, else none
     is needed. *)
  val mp_mul =
    _prim "mp_mul" :
      word array * word array * int * int * word array * int * int * word array -> unit

  (* dst, n, factor, addend -> word: multiplies in place and adds; the carry. *)
  val mp_mul_word = _prim "mp_mul_word" : word array * int * word * word -> word

  (* dst, di, n, divisor, rest -> word: divides in place, with a word above that is less than the
     divisor; the remainder. *)
  val mp_div_word = _prim "mp_div_word" : word array * int * int * word * word -> word

  (* dst, di, n, bits below 64, bits -> word: shifts in place, these bits in and others out,
     which it gives. *)
  val mp_shl = _prim "mp_shl" : word array * int * int * word * word -> word
  val mp_shr = _prim "mp_shr" : word array * int * int * word * word -> word

  (* a, ai, b, bi, n -> int: -1, 0, 1 *)
  val mp_compare = _prim "mp_compare" : word array * int * word array * int * int -> int

  (* q, qi, u, ui, v, vi, n, m: long division of u's n + m words by v's n, which are 2 at least,
     have their uppermost bit set, and are more than u's uppermost n: m words of q are written,
     the remainder stays in u. *)
  val mp_div_digits =
    _prim "mp_div_digits" :
      word array * int * word array * int * word array * int * int * int -> unit

  (* u, v, n, inverse -> word: Montgomery's reduction: multiples of v's n words, an odd number,
     are added to u's 2 n until the lower n are 0; the inverse is that of -v modulo 2^64. The
     carry. *)
  val mp_reduce = _prim "mp_reduce" : word array * word array * int * word -> word
end
