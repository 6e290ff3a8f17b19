(* What a function of the library says of itself.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimFunctions' =
struct
  (* First in a function's body: the function stays a function of its own. It is neither inlined
     nor made a part of its caller, so what it needs makes no frame larger but its own. No code
     is made of this. *)
  val noinline = _prim "noinline" : unit -> unit

  (* A ref that knows where the program calls the function of the library that says this, if that
     was inlined into the program's: the place's number is the tag of its header, and reports
     look for the text (`CodeTable::places`). It takes no more memory than another. *)
  val ref_here = _prim "ref_here" : 'a -> 'a ref
end
