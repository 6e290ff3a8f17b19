(* Timers of threads and of waiters.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimTimers' =
struct
  (* int (monotonic ns) -> unit: blocks until then. *)
  val thread_sleep_until = _prim "thread_sleep_until" : int -> unit

  (* deadline (monotonic ns) * thread * waiting * synched -> int: makes the thread ready then,
     unless cancelled; gives the timer's number, above 0. With the stamps of a waiter, only if it
     waits with the first; both 0: in any case. *)
  val timer_start = _prim "timer_start" : int * thread * int * int -> int

  (* true when it was still waiting *)
  val timer_cancel = _prim "timer_cancel" : int -> bool
end
