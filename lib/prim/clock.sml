(* Time, in nanoseconds where nothing else is said.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimClock' =
struct
  val time_now = _prim "time_now" : unit -> int
  val time_monotonic = _prim "time_monotonic" : unit -> int

  (* Likewise, as it was at the system's last tick, some milliseconds ago at most; takes a third
     of the time. *)
  val time_recent = _prim "time_recent" : unit -> int
  val time_user = _prim "time_user" : unit -> int
  val time_system = _prim "time_system" : unit -> int

  (* processor time of the collector: 0 user, 1 system *)
  val time_gc = _prim "time_gc" : int -> int

  (* 0 user, 1 system time of ended children, ns *)
  val time_children = _prim "time_children" : int -> int
end
