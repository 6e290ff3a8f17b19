(* Own: Leat's threads, and an MVar made of what they are made of. A thread is an object of the heap, a blocked one is the live
   bytes of its frames; so there is no scheduler here, no function of what comes after, and no mutex: an MVar knows the threads
   that wait for it.

   An MVar is a cell with one of six states. Who changes it makes the new state first and swaps it for the one that he has
   seen; when another thread was faster he begins again. So there is no lock: with one worker a swap is a comparison and a
   store, with several a compare-and-swap. *)

structure Own :> DIRECT =
struct
  exception Deadlock

  structure Wait = Unsafe.Wait
  type thread = Thread.thread

  datatype 'a state =
      EMPTY
    | FULL of 'a
    (* empty, and threads wait for a value: one, as a rule *)
    | TAKER of thread
    | TAKERS of thread Fifo.fifo
    (* full, and threads wait for room, each with its value *)
    | PUTTER of 'a * ('a * thread)
    | PUTTERS of 'a * ('a * thread) Fifo.fifo

  type 'a action = 'a
  type 'a mvar = 'a state ref

  fun mvar () = ref EMPTY

  fun two (a, b) = Fifo.add (Fifo.add (Fifo.empty, a), b)

  (* `take` and `put` are what happens most, so that their callers' frames are small; `takeAny` and `putAny` are the rest. *)

  fun take cell =
    case Wait.look cell of
      full as FULL x => if Wait.swap (cell, full, EMPTY) then x else takeAny cell
    | empty as EMPTY =>
        if Wait.swap (cell, empty, TAKER (Wait.waiter ())) then Wait.await () else takeAny cell
    | _ => takeAny cell

  and takeAny cell =
    case Wait.look cell of
      one as PUTTER (x, (y, putter)) =>
        if Wait.swap (cell, one, FULL y) then (Wait.wakeEmpty putter; x) else takeAny cell
    | many as PUTTERS (x, putters) =>
        let
          val (next, putter) =
            case Fifo.take putters of
              NONE => (EMPTY, NONE)
            | SOME ((y, putter), others) => (PUTTERS (y, others), SOME putter)
        in
          if Wait.swap (cell, many, next) then (Option.app Wait.wakeEmpty putter; x)
          else takeAny cell
        end
    | one as TAKER other => wait (cell, one, TAKERS (two (other, Wait.waiter ())))
    | many as TAKERS others => wait (cell, many, TAKERS (Fifo.add (others, Wait.waiter ())))
    | _ => take cell

  and wait (cell, old, new) = if Wait.swap (cell, old, new) then Wait.await () else takeAny cell

  fun put (cell, x) =
    case Wait.look cell of
      empty as EMPTY => if Wait.swap (cell, empty, FULL x) then () else putAny (cell, x)
    | one as TAKER taker =>
        if Wait.swap (cell, one, EMPTY) then Wait.wake (taker, x) else putAny (cell, x)
    | _ => putAny (cell, x)

  and putAny (cell, x) =
    case Wait.look cell of
      full as FULL y => stay (cell, full, PUTTER (y, (x, Wait.waiter ())), x)
    | one as PUTTER (y, other) => stay (cell, one, PUTTERS (y, two (other, (x, Wait.waiter ()))), x)
    | many as PUTTERS (y, others) =>
        stay (cell, many, PUTTERS (y, Fifo.add (others, (x, Wait.waiter ()))), x)
    | many as TAKERS takers =>
        (case Fifo.take takers of
           NONE => if Wait.swap (cell, many, FULL x) then () else putAny (cell, x)
         | SOME (taker, others) =>
             if Wait.swap (cell, many, TAKERS others) then Wait.wake (taker, x)
             else putAny (cell, x))
    | _ => put (cell, x)

  and stay (cell, old, new, x) =
    if Wait.swap (cell, old, new) then Wait.await () else putAny (cell, x)

  fun spawn thread = Thread.ready (Thread.new thread)
  val yield = Thread.yield
  fun run main = main ()
end
