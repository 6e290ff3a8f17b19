(* What a function of the library says of itself.
 *
 * Each is a row of runtime/abi/src/prim/table.rs, which this is compared with. *)
structure PrimFunctions' =
struct
   (* First in a function's body: the function stays a function of its own. It is neither inlined nor made a part of its
    * caller, so what it needs makes no frame larger but its own. No code is made of this. *)
   val noinline = _prim "noinline" : unit -> unit

   (* Where the program calls the function of the library that says this: `file.sml:12.7`, for reports. A
    * constant; empty when the library's function was not inlined into the program's. *)
   val called_at = _prim "called_at" : unit -> string
end
