(* Waiting for descriptors. A read, a write or a call of a socket that would block gives -EAGAIN:
   then wait, and call again.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimWaiting' =
struct
  (* int array of (fd, events, result) * how many -> how many are ready now; a wait for one of
     the others ends when it is *)
  val fd_poll = _prim "fd_poll" : int array * int -> int

  (* fd * mode (0 to read, 1 to write; 2 more when an earlier call gave 0) -> 1: try again; 0:
     not yet, call again; or an error *)
  val fd_wait = _prim "fd_wait" : int * int -> int

  (* fd * mode (0 to read, 1 to write; 2 more when the number is to be ended) * thread or waiter
     -> number; 0: ready now; or an error. That of a thread is to be ended in any case. *)
  val fd_watch = _prim "fd_watch" : int * int * 'a -> int

  (* Ends a waiter: 0 it was given up, 1 the descriptor was ready, 2 it was closed. *)
  val fd_unwatch = _prim "fd_unwatch" : int -> int

  (* The same without ending it: 0 it waits. *)
  val fd_watched = _prim "fd_watched" : int -> int

  (* fd * (0 to read, 1 to write) -> whether the system says so now; after 0 a wait ends when it
     is *)
  val fd_ready = _prim "fd_ready" : int * int -> int
end
