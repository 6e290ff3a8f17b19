(* Exceptions and where they were raised.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimExceptions' =
struct
  (* exn -> string *)
  val exn_name = _prim "exn_name" : exn -> string

  (* exn -> int: how its argument is represented, see `exn::Argument`. *)
  val exn_arg_kind = _prim "exn_arg_kind" : exn -> int

  (* exn -> string, when the kind says String; likewise Int; the library looks first. *)
  val exn_arg_string = _prim "exn_arg_string" : exn -> string
  val exn_arg_int = _prim "exn_arg_int" : exn -> int

  (* exn -> unit: stands first in a handler that will raise this packet, which it has been given,
     again: keeps where it was raised, for reports. Compiled code calls a stub instead, where
     that can be known. *)
  val exn_place = _prim "exn_place" : exn -> unit

  (* exn -> unit: it is raised next, by a variable. A store of compiled code's. *)
  val exn_again = _prim "exn_again" : exn -> unit

  (* exn -> string: the lines of the back-trace from where it was raised, innermost first. *)
  val exn_history = _prim "exn_history" : exn -> string
end
