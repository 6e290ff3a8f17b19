(* Arguments, environment, error texts, random words.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimWorld' =
struct
  val arg_count = _prim "arg_count" : unit -> int
  val arg = _prim "arg" : int -> string
  val program_name = _prim "program_name" : unit -> string

  (* string -> string; the empty string with `env_has` 0 when absent. *)
  val env = _prim "env" : string -> string
  val env_has = _prim "env_has" : string -> int
  val error_message = _prim "error_message" : int -> string

  (* name * value -> 0 or minus an error number *)
  val env_set = _prim "env_set" : string * string -> int

  (* A word nobody can foretell. *)
  val random_word = _prim "random_word" : unit -> word
end
