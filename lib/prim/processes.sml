(* Processes and their resources.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimProcesses' =
struct
  val process_fork = _prim "process_fork" : unit -> int

  (* path * arguments * environment (both: each ends in NUL) * (1 to search the path, 2 to use
     the environment) *)
  val process_exec = _prim "process_exec" : string * string * string * int -> int

  (* likewise * int array of 3: descriptors for standard input, output, error -> pid *)
  val process_spawn = _prim "process_spawn" : string * string * string * int * int array -> int

  (* pid * options * int array: the status -> pid *)
  val process_wait = _prim "process_wait" : int * int * int array -> int
  val process_kill = _prim "process_kill" : int * int -> int

  (* The numbers that `ProcessNumber'` has names for. *)
  val process_id = _prim "process_id" : int -> int

  (* Ends the process without flushing or running anything. *)
  val process_exit_now = _prim "process_exit_now" : int -> 'a

  (* ns, 0 for none -> ns that were left of the last one, or an error *)
  val process_alarm = _prim "process_alarm" : int -> int
  val process_pause = _prim "process_pause" : unit -> int

  (* (0 setuid, 1 setgid, 2 setpgid of a and b, 3 setsid, 4 nice) * a * b *)
  val process_set = _prim "process_set" : int * int * int -> int

  (* resource * int array of 2: the soft and the hard limit, ~1 for none *)
  val limit_get = _prim "limit_get" : int * int array -> int
  val limit_set = _prim "limit_set" : int * int array -> int

  (* pid -> fd that can be read when the process has ended *)
  val process_open = _prim "process_open" : int -> int

  (* pid -> whether the child has ended and can be waited for, or is none *)
  val process_ended = _prim "process_ended" : int -> int
end
