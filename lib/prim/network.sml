(* Names of the network.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimNetwork' =
struct
  (* (0 protocol by name, 1 by number, 2 service by name/protocol, 3 by port/protocol) * key ->
     fields, each followed by NUL; 4: this host's name *)
  val net_entry = _prim "net_entry" : int * string -> string
end
