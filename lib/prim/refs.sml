(* 'a ref.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimRefs' =
struct
  val ref_new = _prim "ref_new" : 'a -> 'a ref
  val ref_get = _prim "ref_get" : 'a ref -> 'a
  val ref_set = _prim "ref_set" : 'a ref * 'a -> unit

  (* Pointer equality of refs, arrays, threads. *)
  val ptr_eq = _prim "ptr_eq" : 'a * 'a -> bool

  (* 'a ref * 'a * 'a -> bool: when it holds the first (as a word), stores the second.
     Sequentially consistent. *)
  val ref_cas = _prim "ref_cas" : 'a ref * 'a * 'a -> bool
end
