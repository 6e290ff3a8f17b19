(* Arrays and vectors; a vector is an array that nobody updates.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimArrays' =
struct
  (* int * 'a -> 'a array; raises Size. *)
  val array_new = _prim "array_new" : int * 'a -> 'a array

  (* int -> 'a array for the library to fill: raw elements have any bits, references are
     immediate 1; raises Size. *)
  val array_new_uninit = _prim "array_new_uninit" : int -> 'a array
  val array_length = _prim "array_length" : 'a array -> int
  val array_length_of_vector = _prim "array_length" : 'a vector -> int
  val array_sub = _prim "array_sub" : 'a array * int -> 'a
  val array_update = _prim "array_update" : 'a array * int * 'a -> unit
  val array_sub_unsafe = _prim "array_sub_unsafe" : 'a array * int -> 'a
  val array_update_unsafe = _prim "array_update_unsafe" : 'a array * int * 'a -> unit

  (* Whether the value, read from this array, is what `array_new_uninit` put there in place of an
     address: then no use may be made of it. False at types whose values are not all addresses:
     what is there is one of them, though nobody stored it. *)
  val array_lacks = _prim "array_lacks" : 'a array * 'a -> bool

  (* Of an immutable vector or string: the load may be shared. *)
  val vector_sub = _prim "vector_sub" : 'a vector * int -> 'a
  val vector_sub_unsafe = _prim "vector_sub_unsafe" : 'a vector * int -> 'a

  (* src * src index * dst * dst index * count -> unit; ranges checked by the library; may
     overlap. Arrays of one element type. *)
  val array_copy_unsafe = _prim "array_copy_unsafe" : 'a array * int * 'a array * int * int -> unit
  val array_copy_of_vector =
    _prim "array_copy_unsafe" : 'a vector * int * 'a array * int * int -> unit

  (* 'a array -> 'a vector and back, without a copy. *)
  val cast = _prim "cast" : 'a -> 'b
end
