(* The system's name, users, groups.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimAccounts' =
struct
  (* 0 sysname, 1 nodename, 2 release, 3 version, 4 machine, 5 controlling terminal, 6 login, 7
     whole environment, each entry followed by NUL, 8 supplementary groups, likewise, or an error
     number behind a tilde *)
  val system_text = _prim "system_text" : int -> string

  (* name (or number as text) * (0 user by name, 1 by uid, 2 group by name, 3 by gid) -> fields,
     each followed by NUL *)
  val system_account = _prim "system_account" : string * int -> string

  (* supplementary groups -> 0 or minus an error number *)
  val system_set_groups = _prim "system_set_groups" : int array -> int
end
