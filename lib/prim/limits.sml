(* Limits of the system and of files, by name.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimLimits' =
struct
  (* path * name * int array of 1 for the error (~1: no limit) -> value *)
  val file_pathconf = _prim "file_pathconf" : string * string * int array -> int

  (* fd * name * int array of 1 for the error (~1: no limit) -> value *)
  val fd_pathconf = _prim "fd_pathconf" : int * string * int array -> int

  (* name * int array of 1 for the error (~1: no limit) -> value *)
  val system_conf = _prim "system_conf" : string * int array -> int
end
