(* How the program and its threads end.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimExits' =
struct
  val exit = _prim "exit" : int -> 'a

  (* Function to run at exit; last registered first. *)
  val at_exit = _prim "at_exit" : (unit -> unit) -> unit
  val thread_exit = _prim "thread_exit" : unit -> 'a

  (* int * waiter: when all threads are blocked for good, the blocked ones are reported, and the
     program does not end, but the waiter's event happens; once. 0: no more. *)
  val deadlock_watch = _prim "deadlock_watch" : int * 'a -> unit

  (* int * (unit -> unit): instead of reporting an uncaught exception of a thread other than the
     main one, a new thread runs the function, its `props` being the packet and its `message` the
     thread that has died. 0: no more. *)
  val uncaught_hook = _prim "uncaught_hook" : int * (unit -> unit) -> unit
end
