(* Threads. The type `thread` is the thread object.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimThreads' =
struct
  val thread_self = _prim "thread_self" : unit -> thread

  (* (unit -> unit) -> thread: made, not started, in no queue. *)
  val thread_new = _prim "thread_new" : (unit -> unit) -> thread

  (* thread -> bool: the end of a thread that was made and that nobody has started, so it never
     runs. False: it is too late for that. *)
  val thread_discard = _prim "thread_discard" : thread -> bool

  (* thread, made and not started: it gets an OS thread of its own, on which it will run. 0, or a
     negated error number *)
  val thread_bind = _prim "thread_bind" : thread -> int
  val thread_is_bound = _prim "thread_is_bound" : thread -> bool
  val thread_id = _prim "thread_id" : thread -> int

  (* Puts a blocked or new thread at the end of the ready queue (unpark). *)
  val thread_ready = _prim "thread_ready" : thread -> unit

  (* unit -> thread: takes the first thread out of the ready queue, blocked; the running one when
     there is none. *)
  val thread_take = _prim "thread_take" : unit -> thread

  (* Puts the running thread at the end of the ready queue and runs the given one at once. *)
  val thread_switch = _prim "thread_switch" : thread -> unit

  (* Blocks the running thread (which is in no queue) and runs the given one at once: the
     one-shot switch. *)
  val thread_handoff = _prim "thread_handoff" : thread -> unit

  (* Blocks the running thread until somebody makes it ready; leaves all atomic sections. int:
     reason for dumps. *)
  val thread_park = _prim "thread_park" : int -> unit

  (* int (the reason) -> 'a: blocks the running thread until its stamp says that its wait is over
     (`abi::thread::OVER`). Gives what was left for it in a cell, which must have that type, and
     takes it away; without a cell the result means nothing. Called last, it leaves no frame. *)
  val thread_await = _prim "thread_await" : int -> 'a
  val thread_yield = _prim "thread_yield" : unit -> unit

  (* What stands in a lock that belongs to the running worker. *)
  val worker_mark = _prim "worker_mark" : unit -> int

  (* Whom cells have to be safe from: 1 other workers, 2 cancelled scopes (`abi::tcb`), which
     stays so within an atomic section; 4 more than one worker was ever allowed. *)
  val worker_company = _prim "worker_company" : unit -> int

  (* int ref -> bool: takes a lock that is not the running worker's (`fiber::biased`), or waits a
     moment: false. *)
  val lock_attempt = _prim "lock_attempt" : int ref -> bool

  (* A short wait for another worker, which holds a lock for a few instructions. *)
  val thread_pause = _prim "thread_pause" : unit -> unit

  (* Whether it is blocked at this moment. *)
  val thread_blocked = _prim "thread_blocked" : thread -> bool

  (* Nanoseconds for which it has computed, as far as the workers' looks tell: of use is the
     difference of two answers. *)
  val thread_computed = _prim "thread_computed" : thread -> int

  (* What is left open is decided: a number below this one, drawn by the seed of the
     deterministic mode; ~1 without a seed. *)
  val thread_draw = _prim "thread_draw" : int -> int
  val thread_props = _prim "thread_props" : thread -> 'a
  val thread_set_props = _prim "thread_set_props" : thread * 'a -> unit

  (* thread -> 'a; thread * 'a -> unit: `Thread::label` *)
  val thread_label = _prim "thread_label" : thread -> 'a
  val thread_set_label = _prim "thread_set_label" : thread * 'a -> unit

  (* thread -> int; thread * int -> unit; thread * int * int -> bool (as `ref_cas`):
     `Thread::stamp` *)
  val thread_stamp = _prim "thread_stamp" : thread -> int
  val thread_set_stamp = _prim "thread_set_stamp" : thread * int -> unit
  val thread_cas_stamp = _prim "thread_cas_stamp" : thread * int * int -> bool

  (* thread -> bool: it has ended, or has said that it will (`abi::thread::ENDING`) *)
  val thread_ended = _prim "thread_ended" : thread -> bool

  (* thread -> 'a ref; thread * 'a ref -> unit: `Thread::message` *)
  val thread_message = _prim "thread_message" : thread -> 'a
  val thread_set_message = _prim "thread_set_message" : thread * 'a -> unit

  (* No switch at a safepoint while above 0. *)
  val atomic_begin = _prim "atomic_begin" : unit -> unit

  (* At 0 again: takes a switch that was put off. *)
  val atomic_end = _prim "atomic_end" : unit -> unit

  (* The figures that `ThreadFigure'` has names for. *)
  val thread_stat = _prim "thread_stat" : int -> int
  val workers_set = _prim "workers_set" : int -> unit

  (* From now on threads may be in scopes: see `worker_company`. *)
  val scopes_begin = _prim "scopes_begin" : unit -> unit

  (* (0 a mark, 1 the running thread's name) * text: for a trace, if there is one *)
  val trace_mark = _prim "trace_mark" : int * string -> unit
end
