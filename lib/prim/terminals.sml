(* Terminals, and locks of files.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimTerminals' =
struct
  (* fd * (0 ask, 1 set) * int array of 5: kind, whence, start, length, process *)
  val fd_lock = _prim "fd_lock" : int * int * int array -> int

  (* fd * int array: four words of flags, two speeds, the control characters *)
  val tty_get = _prim "tty_get" : int * int array -> int

  (* fd * when * int array *)
  val tty_set = _prim "tty_set" : int * int * int array -> int

  (* (0 break, 1 flush, 2 flow, 3 the foreground process group, 4 set it) * fd * argument *)
  val tty_control = _prim "tty_control" : int * int * int -> int
end
