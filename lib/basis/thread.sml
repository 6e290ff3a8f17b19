(* Thread: threads and their primitives, as the library's own Concurrent ML uses them. A thread is an object of the heap;
   when nothing refers to a blocked one it is garbage. *)

signature LEAT_THREAD =
sig
  eqtype thread

  (* The running thread. *)
  val self : unit -> thread
  (* The thread's number. Numbers go up in the order in which threads are made. *)
  val id : thread -> int
  (* Makes a thread that calls the function. The child runs at once; the parent waits in the ready queue. *)
  val spawn : (unit -> unit) -> thread
  (* makes a thread that is not started; ready or handoff starts it *)
  val new : (unit -> unit) -> thread
  (* Makes a thread that is not started and always runs on one OS thread, its own; no other thread runs there. Raises
     OS.SysErr when the system gives no OS thread. A switch to or from such a thread is a switch of OS threads. *)
  val bound : (unit -> unit) -> thread
  (* Whether the thread has an OS thread of its own. *)
  val isBound : thread -> bool
  (* the number of the OS thread that the caller runs on, as `ps -L` and debuggers show it *)
  val osThread : unit -> int
  (* Ends the running thread. Nothing behind it is evaluated. *)
  val exit : unit -> 'a
  (* Lets the other threads that are ready run first: the running one goes to the end of the ready queue. *)
  val yield : unit -> unit
  (* blocks until somebody makes this thread ready; the number is the reason that a thread dump shows *)
  val park : int -> unit
  (* puts a blocked or new thread at the end of the ready queue *)
  val ready : thread -> unit
  (* Takes the thread that has been ready longest out of the ready queue, blocked; gives the running one when no other
     is ready. *)
  val take : unit -> thread
  (* Puts the running thread at the end of the ready queue and runs that one at once. *)
  val switch : thread -> unit
  (* Blocks the running thread and runs that one at once. *)
  val handoff : thread -> unit
  (* Blocks the thread for so long. Others run meanwhile. *)
  val sleep : Time.time -> unit
  (* Begins an atomic section: no other thread of this worker runs in between. Sections nest. *)
  val atomicBegin : unit -> unit
  (* Ends the innermost atomic section. At the end of the outermost one, a time slice that has run out takes
     effect. *)
  val atomicEnd : unit -> unit
  (* Sets how many OS threads run the program's threads. *)
  val setWorkers : int -> unit

  (* Locks for a few instructions. A lock belongs to the worker that made it until another worker wants it; while it does, the
     atomic section is the lock: no other thread runs in it on that worker. See runtime/fiber/src/workers/biased.rs. *)
  structure Lock :
  sig
    type lock
    (* Makes a lock, which is free. *)
    val new : unit -> lock
    (* In an atomic section: a lock that the caller has, until `unlock`. It is for what threads of several workers will want
       at once, if several run now: it belongs to no worker then, until one has taken it often enough in a row. *)
    val newHeld : unit -> lock
    (* begins an atomic section with the lock; they end together *)
    val take : lock -> unit
    (* Frees the lock and ends the atomic section. *)
    val release : lock -> unit
    (* in an atomic section, which goes on *)
    val lock : lock -> unit
    (* Frees the lock; the atomic section goes on. *)
    val unlock : lock -> unit
    (* in an atomic section: whether it is the running worker's, so that nothing need be done; takes it if nobody has it *)
    val isOwn : lock -> bool
    (* Takes the lock if it is free, and says whether it did. *)
    val attempt : lock -> bool
    (* lets other OS threads run: the one that is waited for does so on another worker *)
    val pause : unit -> unit
  end

  (* 0 threads alive, 1 switches, 2 evictions, 3 steals, 4 lanes, 5 workers, 6 preemptions, 7 workers asked for at the start,
     8 depth of atomic sections of the running thread, 9 whether (1) another thread runs or is ready *)
  val stat : int -> int
end

(* Whom cells have to be safe from. The answers stay within an atomic section, and may be others in the next one: while the
   workers' threads all run on one of them, that one does what a worker alone does. For the library. *)
structure Workers' =
struct
  open Bits'
  val set = PrimThreads'.workers_set
  local
    val company = PrimThreads'.worker_company
    val others = 1
    val scopes = 2
    val ever = 4
  in
    (* Whether another worker may run. *)
    fun several () = and' (company (), others) <> 0
    (* Whether a thread that is about to wait has to look more closely: another worker may run, or there are scopes
       (Member'). *)
    fun special () = and' (company (), others + scopes) <> 0
    (* Whether another worker may ever have run: once it is so it stays so, outside of atomic sections too. *)
    fun severalEver () = and' (company (), ever) <> 0
  end
  (* From now on threads may be in scopes. *)
  val beginScopes = PrimThreads'.scopes_begin
end

structure Thread : LEAT_THREAD =
struct
  type thread = thread

  val self = PrimThreads'.thread_self
  val id = PrimThreads'.thread_id
  val new = PrimThreads'.thread_new
  fun bound f =
    let
      val thread = new f
    in
      Error'.done (PrimThreads'.thread_bind thread);
      thread
    end
  val isBound = PrimThreads'.thread_is_bound
  fun osThread () = PrimProcesses'.process_id ProcessNumber'.osThread
  val switch = PrimThreads'.thread_switch
  val handoff = PrimThreads'.thread_handoff
  val exit = PrimExits'.thread_exit : unit -> 'a
  val yield = PrimThreads'.thread_yield
  val park = PrimThreads'.thread_park
  val ready = PrimThreads'.thread_ready
  val take = PrimThreads'.thread_take
  val atomicBegin = PrimThreads'.atomic_begin
  val atomicEnd = PrimThreads'.atomic_end
  val setWorkers = Workers'.set
  val stat = PrimThreads'.thread_stat

  structure Lock =
  struct
    type lock = int ref

    open Bits'
    val mark = PrimThreads'.worker_mark
    val attempt = PrimThreads'.lock_attempt
    val pause = PrimThreads'.thread_pause

    val state = 255
    val held = 1

    fun new () = ref (mark ())
    fun newHeld () = if Workers'.several () then ref held else new ()

    fun isOwn lock = and' (!lock, state) = mark ()

    fun spin lock = (PrimFunctions'.noinline (); if attempt lock then () else spin lock)

    fun lock l = if isOwn l then () else spin l

    fun take l = (atomicBegin (); lock l)

    fun unlock lock = if and' (!lock, state) = held then lock := minus (!lock, held) else ()

    fun release lock = (unlock lock; atomicEnd ())
  end

  fun spawn f =
    let val child = new f in switch child; child end

  fun sleep t = Process'.sleepTo (TimePrim'.deadline t)
end

(* What variables on which threads wait are made of: Unsafe.Wait. The thread's stamp says whether it waits, as for CML's
   events: see lib/cml/transaction.sml. *)
structure Await' =
struct
  open Bits'
  val stamp = PrimThreads'.thread_stamp
  val setStamp = PrimThreads'.thread_set_stamp
  val leave = PrimThreads'.thread_set_message : Thread.thread * 'a ref -> unit
  val threadAwait = PrimThreads'.thread_await

  (* what a report says *)
  val forVariable = 8

  fun waiter () =
    let
      val self = Thread.self ()
    in
      setStamp (self, plus (and' (stamp self, ~4), 4));
      self
    end

  (* A blocked thread is its frames, so this is a function of its own, which leaves none. *)
  fun await () = (PrimFunctions'.noinline (); threadAwait forVariable)

  fun wakeEmpty thread = (setStamp (thread, plus (stamp thread, 2)); Thread.ready thread)
  fun wake (thread, x) = (leave (thread, ref x); wakeEmpty thread)

  fun look cell = !cell

  fun swapAcross (cell, old, new) = (PrimFunctions'.noinline (); PrimRefs'.ref_cas (cell, old, new))

  fun swap (cell, old, new) =
    (Thread.atomicBegin ();
     if Workers'.several () then (Thread.atomicEnd (); swapAcross (cell, old, new))
     else
       (* Not what the caller has loaded: another thread may have run since. *)
       let
         val same = PrimRefs'.ptr_eq (!cell, old)
       in
         if same then cell := new else ();
         Thread.atomicEnd ();
         same
       end)
end
