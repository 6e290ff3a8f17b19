(* What a function of the library says of itself.
 *
 * Each is a row of runtime/abi/src/prim/table.rs, which this is compared with. *)
structure PrimFunctions' =
struct
   (* First in a function's body: the function stays a function of its own. It is neither inlined nor made a part of its
    * caller, so what it needs makes no frame larger but its own. No code is made of this. *)
   val noinline = _prim "noinline" : unit -> unit

   (* A ref that knows where the program calls the function of the library that says this, if that was inlined into the
    * program's. It takes no more memory than another: the place's number is a part of its header, and reports look for the
    * text. *)
   val ref_here = _prim "ref_here" : 'a -> 'a ref
end
