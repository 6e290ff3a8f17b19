(* Mutexes and condition variables for Leat's threads: Vm's and Sys's.

   A thread that waits parks, and the one that wakes it makes it ready. The state of a mutex is guarded by a lock of the
   library's, which with one worker is an atomic section. *)

structure ThreadMutex : MUTEX =
struct
  (* the flag says that it was woken for this *)
  type waiter = {thread : Thread.thread, woken : bool ref}

  (* A wake-up that comes before the park is not lost: the park returns at once. *)
  fun await (w as {woken, ...} : waiter, reason) =
    (Thread.park reason;
     if !woken then () else await (w, reason))

  fun add waiting =
    let
      val w = {thread = Thread.self (), woken = ref false}
    in
      waiting := Fifo.add (!waiting, w);
      w
    end

  fun wake {thread, woken} = (woken := true; Thread.ready thread)

  (* what a report says *)
  val forVariable = 8
  val forLock = 10

  type mutex = {guard : Thread.Lock.lock, held : bool ref, waiting : waiter Fifo.fifo ref}
  fun mutex () = {guard = Thread.Lock.new (), held = ref false, waiting = ref Fifo.empty}

  fun lock ({guard, held, waiting} : mutex) =
    (Thread.Lock.take guard;
     if !held then
       let
         val w = add waiting
       in
         Thread.Lock.release guard;
         await (w, forLock)
       end
     else (held := true; Thread.Lock.release guard))

  (* The one that waits has the mutex now: nobody comes in between. It is woken within the atomic section: a handler
     of MLton.Signal may stop this thread for good at the section's end. *)
  fun unlock ({guard, held, waiting} : mutex) =
    (Thread.Lock.take guard;
     case Fifo.take (!waiting) of
       NONE => (held := false; Thread.Lock.release guard)
     | SOME (w, others) =>
         (waiting := others; Thread.Lock.unlock guard; wake w; Thread.atomicEnd ()))

  (* Who waits for it and who signals it have the mutex. *)
  type condition = waiter Fifo.fifo ref
  fun condition () = ref Fifo.empty

  fun wait (condition, mutex) =
    let
      val w = add condition
    in
      unlock mutex;
      await (w, forVariable);
      lock mutex
    end

  fun signal condition =
    (Thread.atomicBegin ();
     case Fifo.take (!condition) of
       NONE => ()
     | SOME (w, others) => (condition := others; wake w);
     Thread.atomicEnd ())
end
