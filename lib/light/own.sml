(* Own: Leat's threads, and an MVar made of what they are made of. A thread is an object of the heap, a blocked one is the live
   bytes of its frames; so there is no scheduler here, no function of what comes after, and no mutex: an MVar has the threads
   that wait for it.

   With one worker an operation is one atomic section. With several, an MVar has a lock, which stays with the worker that
   used it last. *)

structure Own :> DIRECT =
struct
  exception Deadlock

  (* What a thread waits for is left in its slot. *)
  datatype 'a slot = PENDING | HERE of 'a
  type 'a waiter = {thread : Thread.thread, slot : 'a slot ref}

  type 'a action = 'a
  type 'a mvar = {lock : Thread.Lock.lock, cell : ('a, 'a waiter, unit waiter) Cell.cell}

  (* what a report says *)
  val forVariable = 8

  fun mvar () = {lock = Thread.Lock.new (), cell = Cell.new ()}

  fun waiter () = {thread = Thread.self (), slot = ref PENDING}

  (* A wake-up that comes before the park is not lost, and one that is somebody else's is not taken for this. *)
  fun await slot =
    (Thread.park forVariable;
     case !slot of HERE x => x | PENDING => await slot)

  fun wake (lock, {thread, slot}, x) =
    (slot := HERE x;
     Thread.Lock.release lock;
     Thread.ready thread)

  fun take ({lock, cell} : 'a mvar) =
    (Thread.Lock.take lock;
     case Cell.take cell of
       Cell.TAKEN x => (Thread.Lock.release lock; x)
     | Cell.FREED (x, putter) => (wake (lock, putter, ()); x)
     | Cell.EMPTY =>
         let val w = waiter ()
         in
           Cell.addTaker (cell, w);
           Thread.Lock.release lock;
           await (#slot w)
         end)

  fun put ({lock, cell} : 'a mvar, x) =
    (Thread.Lock.take lock;
     case Cell.put (cell, x) of
       Cell.STORED => Thread.Lock.release lock
     | Cell.GIVEN taker => wake (lock, taker, x)
     | Cell.FULL =>
         let val w = waiter ()
         in
           Cell.addPutter (cell, x, w);
           Thread.Lock.release lock;
           await (#slot w)
         end)

  fun spawn thread = Thread.ready (Thread.new thread)
  val yield = Thread.yield
  fun run main = main ()
end
