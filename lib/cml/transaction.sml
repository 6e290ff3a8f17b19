(* Lock', Transaction': the states of a synchronisation, on which first-class synchronous operations stand. For the library.

   To be read in this order: transaction.sml, waiting.sml (queues of threads), base-event.sml (what an event is made of),
   condition.sml, thread-props.sml, sync.sml (how one of several events is chosen), event.sml (the combinators); then
   channel.sml and the others, each of which makes base events.

   After Reppy, Russo and Xiao, Parallel Concurrent ML, ICFP 2009, and Reppy, Concurrent Programming in ML, 1999. The
   protocol, and why no wake-up is lost, is in docs/reference/cml.md; a model of it is explored by
   tests/heavy/commit-model.sml.

   A synchronisation of a thread is a *transaction*. Its state is a word of the thread, the stamp, so it costs no memory:

     WAITING 4g --claim--> CLAIMED 4g+1 --commit--> SYNCHED 4(g+i)+2: event i of the choice has happened
         ^                     |                            4g+3: the only event has happened
         +------release--------+

   Each transaction of a thread has a larger g than the one before. A queue may still hold an entry of an earlier
   transaction; its g is not the thread's any more, which shows that it is over. An entry of a channel's queue is a
   *waiter*: a thread, the stamp that the thread waits with, and the stamp that says that this event has happened. With
   one worker the atomic section makes all of this one step, and no stamp is ever CLAIMED.

   Keeps:
   E1  A stamp goes from WAITING to SYNCHED at most once, and one worker does it: the one whose claim succeeded.
   E2  A thread that commits the transaction of another thread leaves the message first, then writes the stamp, then
       makes that thread ready, once. A thread that commits its own transaction does not park.
   E3  A thread that has offered all its events parks until it is SYNCHED; from its first offer until then it does not
       leave its atomic section, so no other thread sees it in between, neither running nor parked.
   E4  A thread that has claimed a transaction takes no lock, does not park and calls no function of the program until
       it has committed or released it.
   E5  A thread that has claimed its own transaction waits for the claim of another thread's only if that thread has the
       larger number.

   Differences to the paper: where two threads claim each other's transactions, their numbers decide which one waits
   (E5), so one of them always goes on, where the paper has that only as likely; the stamp itself says which event has
   happened; and the message stands in the thread.
   Differences to SML/NJ: a program with one worker sees only this one. Events with a fixed priority take turns in one
   sequence, whatever their kinds. *)

(* A thread that has a lock takes no other one. *)
structure Lock' = Thread.Lock

(* Transactions: the states above. *)
structure Transaction' =
struct
  type waiter = {synched : int, thread : Thread.thread, waiting : int}

  (* see EVENT' *)
  datatype blocked = WAITS | CANCEL of unit -> unit | TIMER of int | MATCHED | GONE

  (* stamps are small: nothing overflows *)
  open Bits'

  (* A function whose body begins with this call is never inlined. *)
  val noinline = PrimFunctions'.noinline

  (* -- cells: what threads wait for is one ref, whose content is its state *)

  (* A new cell. It notes the place in the program where it was made, which reports show: functions that call this one
     are inlined up to there. *)
  val cell = PrimFunctions'.ref_here

  (* A value that notes such a place. *)
  type place = unit ref
  val placeOf = PrimArrays'.cast : 'a ref -> place
  val nowhere : place = ref ()

  (* In an atomic section: gives the cell a new state, if it still has the old one, which was read in the same section.
     With one worker it always has. With several, the answer false says that another worker has changed it. States are
     compared as words, so by identity: two states with contents are never the same word, and states without contents
     are equal. *)
  fun swapAcross (cell, old, new) = (noinline (); PrimRefs'.ref_cas (cell, old, new))
  fun swap (cell, old, new) =
    if Workers'.several () then swapAcross (cell, old, new) else (cell := new; true)

  (* The same for a thread that is going to wait. The answer is false also for a thread in a scope, which waits in
     another way (`aloneInScope`). *)
  fun swapToWaitAcross (cell, old, new) =
    (noinline (); not (Member'.isHere ()) andalso swap (cell, old, new))
  fun swapToWait (cell, old, new) =
    if Workers'.special () then swapToWaitAcross (cell, old, new) else (cell := new; true)

  (* In an atomic section: whether the cell still has the state that was read there. *)
  fun has (cell, old) = not (Workers'.several ()) orelse PrimRefs'.ptr_eq (!cell, old)

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
    (* Notes for reports what the thread is about to wait for, by the place where that was made. The note stands in the
       field that the message takes later. *)
    fun waitsFor (thread, place) = setPlace (thread, place)
    (* The same, by the name of a stream. *)
    fun waitsForStream (thread, name) = setName (thread, name)
    (* Instead of `collect` where the partner leaves no message: empties the field, so that the note keeps nothing
       alive. *)
    fun forget () = clear (Thread.self (), [])

    (* Leaves a message for the thread, which takes it by `collect`. The field has no type of its own; both sides take
       it as that of the event's message. *)
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
    let
      val waiting = plus (and' (stamp self, ~4), 4)
    in
      setStamp (self, waiting);
      waiting
    end

  (* The stamp that says that event i of the choice has happened; `winner` gives i back. *)
  fun synched (waiting, i) = plus (plus (waiting, 4 * i), 2)
  (* The same for a thread that offers this event alone. Its waiter stands in one place only, and is found only by a
     thread that has the lock of that place; so it need not be claimed. *)
  fun only waiting = plus (waiting, 3)
  (* The same for a thread that waits for one event alone already: the stamp is made from its current one. `single` is
     that thread as a waiter. *)
  fun onlyOf thread = only (stamp thread)
  fun single thread : waiter = {synched = onlyOf thread, thread = thread, waiting = stamp thread}
  (* Begins a transaction of the running thread that offers one event alone, that of a cell; gives its waiter. *)
  fun alone cell =
    let
      val self = Thread.self ()
      val waiting = begin self
    in
      waitsFor (self, placeOf cell);
      {synched = only waiting, thread = self, waiting = waiting}
    end
  fun isAlone (waiting, synched) = synched = only waiting orelse not (Workers'.several ())
  fun winner (self, waiting) = shr (minus (stamp self, waiting), 2)

  (* Whether the transaction that the thread began with this stamp is over. *)
  fun isPast (thread, waiting) = stamp thread > plus (waiting, 1)
  fun isOver ({thread, waiting, ...} : waiter) = isPast (thread, waiting)

  datatype claim = CLAIMED | BUSY | OVER

  fun claim (w as {thread, waiting, ...} : waiter) =
    if Workers'.several () then
      if casStamp (thread, waiting, plus (waiting, 1)) then CLAIMED
      else if isOver w then OVER
      else BUSY
    else if stamp thread = waiting then CLAIMED
    else OVER

  fun release ({thread, waiting, ...} : waiter) = setStamp (thread, waiting)

  fun commit ({thread, synched, ...} : waiter) = setStamp (thread, synched)

  (* Claims a waiter for a thread that has no transaction of its own. While another worker has claimed it, it waits;
     false says that the waiter's transaction is over. *)
  fun seize w =
    case claim w of
      CLAIMED => true
    | OVER => false
    | BUSY => (Lock'.pause (); seize w)

  (* The answer of a base event's `block` when the event has become enabled since it was polled: commits the waiter at
     once. *)
  fun happened w = if seize w then (commit w; MATCHED) else GONE

  (* For a thread whose own transaction other threads can already see: claims it and that of a partner. BOTH: both are
     claimed. DROP: the partner's is over, and its entry can go. KEEP: both are of the same thread. LATE: the own one is
     over. *)
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
        if Thread.id (#thread own) < Thread.id (#thread other) then
          (Lock'.pause (); seizeSecond (own, other))
        else (release own; Lock'.pause (); seizeBoth (own, other))

  (* Commits the transaction of a thread, which gets the message. *)
  fun deliver (thread, synched, message) = (leave (thread, message); setStamp (thread, synched))
  (* A thread whose transaction is committed runs at once, and the running one becomes ready. Leaves the atomic section, behind
     the switch: at the end of a section a handler of a signal may stop the running thread for good, and nobody else knows
     that the other one is to go on. What was read in the section does not hold behind the switch, and no lock may be had. *)
  fun switchTo thread = (Thread.switch thread; Thread.atomicEnd ())

  (* Commits, and that thread, which gets the message, runs at once. Leaves the atomic section. *)
  fun give (thread, synched, message) =
    (deliver (thread, synched, message);
     switchTo thread)

  (* Whether the running thread's transaction is not over yet. *)
  fun isOpen () = and' (stamp (Thread.self ()), 3) < 2

  (* Parks until the running thread's transaction is over. Leaves the atomic section. *)
  fun wait reason = (Thread.park reason; if isOpen () then wait reason else ())

  (* -- threads in scopes (Member'): such a thread waits as for a choice with one more event, by which it is
     cancelled *)

  (* Whether the running thread is in a scope, so waits in this way. *)
  fun inScope () = Workers'.special () andalso Member'.isHere ()

  (* Before it offers the first of n events, in the atomic section of the transaction that began as `waiting`. If its
     scope is cancelled already, the transaction ends here, in the same way as by a later cancel: with the stamp of
     event n, which no event has. A thread that cancels the scope stores that first and then looks at `open'`; this one
     sets `open'` first and then looks whether the scope is cancelled; so one of them sees the other. The
     compare-and-swap is a fence. The mark in `open'` stays: a wait may be cancelled and made up for. *)
  fun openInScope ({current, ifCancelled, open', ...} : Member'.member, self, waiting, n) =
    (noinline ();
     ifCancelled := synched (waiting, n);
     open' := (if !open' < 0 then ~waiting else waiting);
     if Workers'.several () then ignore (casStamp (self, waiting, waiting)) else ();
     if Member'.isCancelled (!current) then
       (* unless the thread that cancels has done it by now *)
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
     if winner (Thread.self (), waiting) = 1 then (forget (); Member'.raiseCancelled ())
     else ())
end

(* AwaitFn': to wait for one event alone. A blocked thread costs as much as its stack frames. These functions have none
   while they wait, and a function that calls one of them last has none either. *)
functor AwaitFn' (val reason : int) =
struct
  open Transaction'
  val threadAwait = PrimThreads'.thread_await

  (* Waits, and gives the message that the partner leaves. *)
  fun await () = (noinline (); threadAwait reason)

  (* The same where the partner leaves no message. *)
  fun awaitTaken () = (noinline (); threadAwait reason : unit)
end
