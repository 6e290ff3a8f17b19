(* What a program tells of itself while it runs.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimDebug' =
struct
  (* Every thread with what it waits for, and the figures of scheduler and collector. *)
  val debug_report = _prim "debug_report" : unit -> string

  (* Begins to measure what the number says: 0 when that is done already. *)
  val debug_profile = _prim "debug_profile" : int -> int

  (* Its end: the text of a file of `leat profile`, or of a trace, or the empty string when the
     program has begun none. *)
  val debug_profiled = _prim "debug_profiled" : int -> string
end
