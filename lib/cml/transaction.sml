(* Lock', Transaction': the states of a synchronisation, on which first-class synchronous operations stand. For the library.

   To be read in this order: transaction.sml, waiting.sml (queues of threads), base-event.sml (what an event is made of),
   condition.sml, sync.sml (how one of several events is chosen), event.sml (the combinators); then channel.sml and the others,
   each of which makes base events.

   After Reppy, Russo and Xiao, Parallel Concurrent ML, ICFP 2009, and Reppy, Concurrent Programming in ML, 1999. The
   protocol, and why no wake-up is lost, is in docs/reference/cml.md; a model of it is explored by
   tests/heavy/commit-model.sml.

   A synchronisation of a thread is a *transaction*. Its state is a word of the thread, the stamp, so it costs no memory:

     WAITING 4g --claim--> CLAIMED 4g+1 --commit--> SYNCHED 4(g+i)+2: event i of the choice has happened
         ^                     |                            4g+3: the only event has happened
         +------release--------+

   Each transaction of a thread has another g, so whoever still remembers an old one finds that it is over. What stands in
   the queue of a channel is a *waiter*: a thread, the stamp that it waits with, and the stamp that says that this event
   has happened. With one worker the atomic section makes all of this one step, and CLAIMED does not occur.

   Keeps:
   E1  A stamp goes from WAITING to SYNCHED at most once, and one worker does it: the one whose claim succeeded.
   E2  Who commits the transaction of another thread leaves the message first, then writes the stamp, then makes the
       thread ready, once. Who commits his own does not park.
   E3  A thread that has offered all its events parks until it is SYNCHED; from its first offer until then it does not
       leave its atomic section, so nobody finds it neither running nor parked.
   E4  Nobody takes a lock, parks or calls anything of the program's while he has claimed something.
   E5  Who has claimed his own transaction waits for the claim of another only if that one's thread has the larger number.

   Differences to the paper: the thread that waits with a claim is decided by the number (E5), so there is progress and not
   only its likelihood; the winner is known by the stamp, and the message stands in the thread.
   Differences to SML/NJ: none in what a program with one worker can see, but that events of more than one kind with a
   fixed priority take turns with each other in one sequence. *)

(* Nobody takes a lock while he has another. *)
structure Lock' = Thread.Lock

(* Transactions: the states above. *)
structure Transaction' =
struct
  type waiter = {synched : int, thread : Thread.thread, waiting : int}

  (* see EVENT' *)
  datatype blocked = WAITS | CANCEL of unit -> unit | TIMER of int | MATCHED | GONE

  (* stamps are small: nothing overflows *)
  open Bits'

  (* first in a function's body: it stays a function of its own *)
  val noinline = PrimFunctions'.noinline

  (* -- cells: what threads wait for is one ref, whose content is its state *)

  (* A new one. It knows where the program calls the function that says this, which is inlined for it; for reports. *)
  val cell = PrimFunctions'.ref_here

  (* Whatever knows that. *)
  type place = unit ref
  val placeOf = PrimArrays'.cast : 'a ref -> place
  val nowhere : place = ref ()

  (* In an atomic section: gives the cell another state, if it has still the one that was seen in the same section. With one
     worker it has; with several, false says that another one was faster. States are compared as words: no two that hold
     something are the same, and it does not matter which of two cells' empty states is meant. *)
  fun swapAcross (cell, old, new) = (noinline (); PrimRefs'.ref_cas (cell, old, new))
  fun swap (cell, old, new) = if !Workers'.several then swapAcross (cell, old, new) else (cell := new; true)

  (* Likewise, for a thread that is going to wait: false also for one in a scope, which waits in another way (below). *)
  fun swapToWaitAcross (cell, old, new) =
    (noinline (); not (Member'.isHere ()) andalso swap (cell, old, new))
  fun swapToWait (cell, old, new) =
    if !Workers'.special then swapToWaitAcross (cell, old, new) else (cell := new; true)

  (* Likewise: has it still that state? *)
  fun has (cell, old) = not (!Workers'.several) orelse PrimRefs'.ptr_eq (!cell, old)

  val stamp = PrimThreads'.thread_stamp
  val setStamp = PrimThreads'.thread_set_stamp
  val casStamp = PrimThreads'.thread_cas_stamp

  local
    val putBox = PrimThreads'.thread_set_message : Thread.thread * 'a ref -> unit
    val getBox = PrimThreads'.thread_message : Thread.thread -> 'a ref
    val clear = PrimThreads'.thread_set_message : Thread.thread * unit list -> unit
    val setPlace = PrimThreads'.thread_set_message : Thread.thread * place -> unit
    val setName = PrimThreads'.thread_set_message : Thread.thread * string -> unit
  in
    (* What knows where the program has made what the thread is about to wait for, for reports: it stands where the message
       will. *)
    fun waitsFor (thread, place) = setPlace (thread, place)
    (* Likewise the name of a stream. *)
    fun waitsForStream (thread, name) = setName (thread, name)
    (* For a message of no content, which is not left: nothing of the partner's is kept. *)
    fun forget () = clear (Thread.self (), [])

    (* What the partner leaves. Its type is known to both: it is the type of the event's message. *)
    fun leave (thread, message) = putBox (thread, ref message)
    fun collect () =
      let
        val self = Thread.self ()
        val message = !(getBox self)
      in
        clear (self, []);
        message
      end
  end

  (* Begins a transaction of the running thread, in its atomic section. *)
  fun begin self =
    let val waiting = plus (and' (stamp self, ~4), 4)
    in setStamp (self, waiting); waiting end

  (* the stamp that says that event i has happened, and back *)
  fun synched (waiting, i) = plus (plus (waiting, 4 * i), 2)
  (* The same for who has nothing but this event. Then nobody can find the waiter but who has the lock of what the event is
     of, and he need not claim it. *)
  fun only waiting = plus (waiting, 3)
  (* The same of a thread that waits for one thing alone, by what stands in its stamp; and the thread as a waiter. *)
  fun onlyOf thread = only (stamp thread)
  fun single thread : waiter = {synched = onlyOf thread, thread = thread, waiting = stamp thread}
  (* Begins such a transaction of the running thread, for a cell. *)
  fun alone cell =
    let
      val self = Thread.self ()
      val waiting = begin self
    in
      waitsFor (self, placeOf cell);
      {synched = only waiting, thread = self, waiting = waiting}
    end
  fun isAlone (waiting, synched) = synched = only waiting orelse not (!Workers'.several)
  fun winner (self, waiting) = shr (minus (stamp self, waiting), 2)

  (* the transaction that a thread began with this stamp is over *)
  fun isPast (thread, waiting) = stamp thread > plus (waiting, 1)
  fun isOver ({thread, waiting, ...} : waiter) = isPast (thread, waiting)

  datatype claim = CLAIMED | BUSY | OVER

  fun claim (w as {thread, waiting, ...} : waiter) =
    if !Workers'.several then
      if casStamp (thread, waiting, plus (waiting, 1)) then CLAIMED else if isOver w then OVER else BUSY
    else if stamp thread = waiting then CLAIMED
    else OVER

  fun release ({thread, waiting, ...} : waiter) = setStamp (thread, waiting)

  fun commit ({thread, synched, ...} : waiter) = setStamp (thread, synched)

  (* For who has no transaction of his own: waits while another worker decides; false when it is over. *)
  fun seize w =
    case claim w of
      CLAIMED => true
    | OVER => false
    | BUSY => (Lock'.pause (); seize w)

  (* The answer of a base event that has happened since it was polled: as if somebody had made it happen now. *)
  fun happened w = if seize w then (commit w; MATCHED) else GONE

  (* For an own transaction that is open to others, against another's: claims both (BOTH), or says that the other is over
     (DROP), that both are of the same thread (KEEP), or that the own one is over (LATE). *)
  datatype pair = BOTH | DROP | KEEP | LATE

  fun seizeBoth (own : waiter, other : waiter) =
    if #thread own = #thread other then KEEP
    else if isOver other then DROP
    else
      case claim own of
        OVER => LATE
      | BUSY => (Lock'.pause (); seizeBoth (own, other))
      | CLAIMED => seizeSecond (own, other)
  and seizeSecond (own, other) =
    case claim other of
      CLAIMED => BOTH
    | OVER => (release own; DROP)
    | BUSY =>
        if Thread.id (#thread own) < Thread.id (#thread other) then (Lock'.pause (); seizeSecond (own, other))
        else (release own; Lock'.pause (); seizeBoth (own, other))

  (* Commits the transaction of a thread, which gets the message. *)
  fun deliver (thread, synched, message) = (leave (thread, message); setStamp (thread, synched))
  (* Likewise, and the thread runs now. Leaves the atomic section. *)
  fun give (thread, synched, message) =
    (deliver (thread, synched, message);
     Thread.atomicEnd ();
     Thread.switch thread)

  (* the running thread's transaction is still to be decided *)
  fun isOpen () = and' (stamp (Thread.self ()), 3) < 2

  (* Parks until the running thread's transaction is over. Leaves the atomic section. *)
  fun wait reason = (Thread.park reason; if isOpen () then wait reason else ())

  (* -- threads in scopes (Member'): each of their waits is as one of several events, which may be claimed to cancel it *)

  (* Whether the running thread waits so. *)
  fun inScope () = !Workers'.special andalso Member'.isHere ()

  (* Before it offers the first of n events, in the atomic section of the transaction that began as `waiting`. If its scope is
     cancelled already, the transaction is over, as it is when that happens later: synched by event n, which is none.
     Who cancels stores that first, and then looks at `open'`; so one sees the other. The compare-and-swap is a fence. *)
  fun openInScope ({current, ifCancelled, open', ...} : Member'.member, self, waiting, n) =
    (noinline ();
     ifCancelled := synched (waiting, n);
     open' := waiting;
     if !Workers'.several then ignore (casStamp (self, waiting, waiting)) else ();
     if Member'.isCancelled (!current) then
       (* unless who cancels is faster *)
       (if casStamp (self, waiting, plus (waiting, 1)) then setStamp (self, synched (waiting, n))
        else ())
     else ())

  (* `alone` for such a thread. *)
  fun aloneInScope cell =
    let
      val () = noinline ()
      val self = Thread.self ()
      val waiting = begin self
    in
      waitsFor (self, placeOf cell);
      case Member'.here () of
        Member'.IN member => openInScope (member, self, waiting, 1)
      | Member'.OUT => ();
      {synched = synched (waiting, 0), thread = self, waiting = waiting}
    end

  (* The end of such a wait: raises Cancelled if it was cancelled. Leaves the atomic section. *)
  fun awaitInScope ({waiting, ...} : waiter, reason) =
    (noinline ();
     if isOpen () then wait reason else Thread.atomicEnd ();
     if winner (Thread.self (), waiting) = 1 then (forget (); raise Member'.Cancelled) else ())
end

(* AwaitFn': to wait for one event alone. A blocked thread is its frames: who calls this last leaves none, nor does it. *)
functor AwaitFn' (val reason : int) =
struct
  open Transaction'
  val threadAwait = PrimThreads'.thread_await

  (* waits for what the partner leaves *)
  fun await () = (noinline (); threadAwait reason)

  (* the partner leaves nothing *)
  fun awaitTaken () = (noinline (); threadAwait reason : unit)
end
