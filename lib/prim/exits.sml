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
     main one (1), or of any (2), a new thread runs the function, its `props` being the packet
     and its `message` the thread that has died. 0: no more. 3: before a report, such a thread is
     asked for its message; 4: the thread that has raised runs this function meanwhile. *)
  val uncaught_hook = _prim "uncaught_hook" : int * (unit -> unit) -> unit

  (* The message of the exception that this thread has raised; empty: there is none but the
     runtime's own. *)
  val uncaught_message = _prim "uncaught_message" : thread * string -> unit

  (* Blocks the thread until the message is there, or comes too late; then the report is made,
     and the thread ends. *)
  val uncaught_wait = _prim "uncaught_wait" : unit -> unit
end
