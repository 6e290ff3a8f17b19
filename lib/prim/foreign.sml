(* Foreign functions: runtime/abi/src/foreign.rs has the texts and the blocks.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimForeign' =
struct
  (* Applied to the text of a function at each place, it is the function: Mono makes it one of
     those that only the compiler has. *)
  val foreign = _prim "foreign" : string -> 'a

  (* A call by way of the runtime, with the address of a block. *)
  val foreign_go = _prim "foreign_go" : word -> int
end
