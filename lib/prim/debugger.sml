(* What a program under a debugger calls, and no other: docs/internals/decisions/023-debugger.md.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimDebugger' =
struct
  (* place: counts, and says whether somebody wants to look. Then the scheduler is held until
     `debug_go`. *)
  val debug_probe = _prim "debug_probe" : int -> bool
  val debug_go = _prim "debug_go" : unit -> unit

  (* Does nothing: until here the frame holds its scope. *)
  val debug_keep = _prim "debug_keep" : 'a -> unit

  (* place * whether it has just answered -> false when the program goes on, true when something
     is to be described. *)
  val debug_stop = _prim "debug_stop" : int * bool -> bool

  (* The scope whose variable is to be described: a function from int to a description. *)
  val debug_scope = _prim "debug_scope" : unit -> 'a

  (* What is asked for: 0 the variable, 1 the depth, 2 the first part, 3 how many parts, 4 the
     length of the path, from 5 on the path. *)
  val debug_asked = _prim "debug_asked" : int -> int
  val debug_answer = _prim "debug_answer" : string -> unit
end
