(* Foreign functions: runtime/abi/src/foreign.rs has the texts and the blocks.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimForeign' =
struct
  (* Applied to the text of a function at each place, it is the function: Mono makes it one of
     those that only the compiler has. *)
  val foreign = _prim "foreign" : string -> 'a

  (* A call by way of the runtime, with the address of a block. *)
  val foreign_go = _prim "foreign_go" : word -> int

  (* Memory of C for a block of so many words, all 0. *)
  val foreign_block = _prim "foreign_block" : int -> word

  (* A copy of a string, an array or a vector in memory of C. *)
  val foreign_copy = _prim "foreign_copy" : 'a -> word

  (* The function of the block is called on an OS thread of the pool: the job's number, for
     `job_wait`. *)
  val foreign_begin = _prim "foreign_begin" : word -> int

  (* The end of a copy. 1: its bytes are the object's from here on. *)
  val foreign_back = _prim "foreign_back" : word * 'a * int -> unit

  (* The end of a block, and of the job. *)
  val foreign_end = _prim "foreign_end" : word * int -> unit
end
