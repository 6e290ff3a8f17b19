(* Continuations.
 *
 * Each is a row of runtime/abi/src/prim/table.rs, which this is compared with. *)
structure PrimConts' =
struct
   (* cell -> cell: its first field becomes the caller's continuation. Returns again with what is thrown to
    * that, which is another object. (So a mutable object must not become values across a call that may reach
    * this.) *)
   val cont_capture = _prim "cont_capture" : 'a -> 'a

   (* cell * object: goes on where the cell was filled. Does not return. *)
   val cont_throw = _prim "cont_throw" : 'a * 'a -> 'b

   (* (unit -> unit): goes on with that on an empty stack. Does not return. *)
   val cont_restart = _prim "cont_restart" : (unit -> unit) -> 'a
end
