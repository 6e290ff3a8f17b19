(* What the thread of callbacks asks for: descriptors that are ready, time-outs that are due.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimCallbacks' =
struct
  (* fd * (0 nothing, 1 reading, 2 writing, 3 both): what callbacks are to be told of *)
  val io_listen = _prim "io_listen" : int * int -> int

  (* Fills an int array with fd * 4 + what it is ready for: how many; 0: the running thread is
     made ready when there are *)
  val io_take = _prim "io_take" : int array -> int

  (* deadline (monotonic ns) * record of references -> number of a timer, at whose time the
     record is due *)
  val timeout_start = _prim "timeout_start" : int * 'a -> int

  (* How many of them are due. *)
  val timeout_due = _prim "timeout_due" : unit -> int

  (* The one that is due longest, its number into an int array; there is one. *)
  val timeout_take = _prim "timeout_take" : int array -> 'a

  (* The figures that `IOFigure'` has names for. *)
  val io_stat = _prim "io_stat" : int -> int
end
