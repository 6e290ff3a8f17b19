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

  (* A C stack, at whose upper end is a block of so many words. If the block has words for
     arguments on the stack, or behind them, all of its words are 0. *)
  val foreign_stack = _prim "foreign_stack" : int -> word

  (* Calls the function of the block on that stack. 0: C has returned; else the state of the
     call, in which C wants a function of SML. *)
  val foreign_enter = _prim "foreign_enter" : word -> word

  (* C goes on behind its call of SML, likewise. The state * the call's serial as it was when C
     began to wait. Fail is raised if C has gone on already. *)
  val foreign_resume = _prim "foreign_resume" : word * word -> word

  (* The function that C wants; it takes the address of its arguments. *)
  val foreign_function = _prim "foreign_function" : word -> 'a

  (* An exception was raised while C waits for SML: it is kept for the end of the call, and C
     gets 0. The block * the word before the block, which tells its calls from each other * the
     exception -> the state in which C waits; 0: it does not. *)
  val foreign_failed = _prim "foreign_failed" : word * word * exn -> word

  (* Likewise of a call of an OS thread, with its state: the exception is reported. *)
  val foreign_report = _prim "foreign_report" : word * exn -> unit

  (* The end of the stack with this block: raises what is kept. *)
  val foreign_leave = _prim "foreign_leave" : word -> unit

  (* A function that takes the address of its arguments * what serves OS threads of C's * the
     address of a variable, or 0 * its place and name * what is said of its registers
     (`callback::traits`) -> the address by which C calls it. The variable gets that too. *)
  val foreign_export = _prim "foreign_export" : 'a * (unit -> unit) * word * string * int -> word

  (* C does not call the function of this address any more. *)
  val foreign_free = _prim "foreign_free" : word -> unit

  (* The next call of an OS thread that is no worker: its state, as of `foreign_enter`; or 0. *)
  val foreign_next = _prim "foreign_next" : unit -> word

  (* That call is answered. *)
  val foreign_answer = _prim "foreign_answer" : word -> unit
end
