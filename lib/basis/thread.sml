(* Thread: threads and their primitives, as the library's own Concurrent ML uses them. A thread is an object of the heap;
   when nothing refers to a blocked one it is garbage. *)

signature LEAT_THREAD =
sig
  eqtype thread

  val self : unit -> thread
  val id : thread -> int
  (* runs the child at once; the parent waits in the ready queue *)
  val spawn : (unit -> unit) -> thread
  (* makes a thread that is not started; ready or handoff starts it *)
  val new : (unit -> unit) -> thread
  val exit : unit -> 'a
  (* goes to the end of the ready queue *)
  val yield : unit -> unit
  (* blocks until somebody makes this thread ready; the number is the reason that a thread dump shows *)
  val park : int -> unit
  (* puts a blocked or new thread at the end of the ready queue *)
  val ready : thread -> unit
  (* the ready thread that has waited longest, which is blocked now; the running one when no other is ready *)
  val take : unit -> thread
  (* goes to the end of the ready queue and runs that thread at once *)
  val switch : thread -> unit
  (* blocks and runs that thread at once *)
  val handoff : thread -> unit
  val sleep : Time.time -> unit
  (* no other thread of this worker runs in between; sections nest *)
  val atomicBegin : unit -> unit
  val atomicEnd : unit -> unit
  val setWorkers : int -> unit
  (* 0 threads alive, 1 switches, 2 evictions, 3 steals, 4 lanes, 5 workers, 6 preemptions, 7 workers asked for at the start,
     8 depth of atomic sections of the running thread, 9 whether (1) another thread runs or is ready *)
  val stat : int -> int
end

(* Whether more than one worker may run. It is set before the second one starts. For the library. *)
structure Workers' =
struct
  val stat = _prim "thread_stat" : int -> int
  val set = _prim "workers_set" : int -> unit
  val several = ref (stat 7 > 1)
end

structure Thread : LEAT_THREAD =
struct
  type thread = thread

  val self = _prim "thread_self" : unit -> thread
  val id = _prim "thread_id" : thread -> int
  val new = _prim "thread_new" : (unit -> unit) -> thread
  val switch = _prim "thread_switch" : thread -> unit
  val handoff = _prim "thread_handoff" : thread -> unit
  val exit = _prim "thread_exit" : unit -> 'a
  val yield = _prim "thread_yield" : unit -> unit
  val park = _prim "thread_park" : int -> unit
  val ready = _prim "thread_ready" : thread -> unit
  val take = _prim "thread_take" : unit -> thread
  val atomicBegin = _prim "atomic_begin" : unit -> unit
  val atomicEnd = _prim "atomic_end" : unit -> unit
  fun setWorkers n = (if n > 1 then Workers'.several := true else (); Workers'.set n)
  val stat = _prim "thread_stat" : int -> int

  fun spawn f =
    let val child = new f in switch child; child end

  local
    val monotonic = _prim "time_monotonic" : unit -> int
    val sleepUntil = _prim "thread_sleep_until" : int -> unit
  in
    fun sleep t = sleepUntil (monotonic () + TimePrim'.toNanos t)
  end
end
