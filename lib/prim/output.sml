(* What is printed. A result of type int: 0, or -EAGAIN when what is to be written out does not
   go now; then wait, and go on by `out_drain`.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimOutput' =
struct
  (* Writes to standard output, or to a buffer that is written out within a millisecond, and
     before any effect that is `Outside`. *)
  val print = _prim "print" : string -> unit
  val print_err = _prim "print_err" : string -> unit
  val flush_out = _prim "flush_out" : unit -> int

  (* Like `print`, but it may stay in the buffer until that is flushed; on a terminal to a line's
     end. *)
  val write_out = _prim "write_out" : string -> int

  (* As `print` and `print_err`: 0; -EAGAIN when what is to be written out does not go now: then
     wait, and go on by `out_drain`. So do `write_out` and `flush_out` with a result of type int. *)
  val print_out = _prim "print_out" : string -> int
  val print_err_out = _prim "print_err_out" : string -> int

  (* Goes on after a wait with what gave -EAGAIN: fd (1, 2) * (0 enough for more printing, 1 what
     is printed, 2 all) *)
  val out_drain = _prim "out_drain" : int * int -> int

  (* fd (1, 2) -> 0: from here on it swallows what is written, and its peer sees the end. *)
  val out_close = _prim "out_close" : int -> int
end
