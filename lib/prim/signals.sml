(* Signals and the system's interval timers.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimSignals' =
struct
  (* Registers what is called when signals have come: it takes them. *)
  val signal_serve = _prim "signal_serve" : (unit -> unit) -> unit

  (* The next signal plus 256 times how often it came; 0: none *)
  val signal_take = _prim "signal_take" : unit -> int

  (* bits of signals not to be served for now -> the former ones *)
  val signal_mask = _prim "signal_mask" : word -> word

  (* signal (0: a collection) * (0 default, 1 ignore, 2 serve, 3 only ask) -> the former, or an
     error *)
  val signal_set = _prim "signal_set" : int * int -> int

  (* (0 real, 1 virtual, 2 profiling) * interval * value (ns) *)
  val itimer_set = _prim "itimer_set" : int * int * int -> int
end
