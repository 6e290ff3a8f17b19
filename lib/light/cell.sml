(* Cell: the state of an MVar, apart from how a style makes a thread wait.

   A thread that waits is whatever the style keeps of it: a function, a continuation, a promise. Such a waiter for a value
   is a 'taker, one for room a 'putter. An operation that has to wait is answered by EMPTY or FULL; then the style makes a
   waiter of its thread and adds it. As most cells have one waiter at most, that one has a place of its own. *)

structure Cell :> sig
  type ('a, 'taker, 'putter) cell
  (* an empty cell, in which nobody waits *)
  val new : unit -> ('a, 'taker, 'putter) cell

  (* STORED; GIVEN: this thread waited, tell it the value; or nothing was done, for it is FULL *)
  datatype 'taker put = STORED | GIVEN of 'taker | FULL
  (* gives the value to the first that waits for one, else leaves it in the cell if that is empty *)
  val put : ('a, 'taker, 'putter) cell * 'a -> 'taker put

  (* TAKEN; FREED: likewise, and this thread's value has found room, tell it; or nothing was done, for it is EMPTY *)
  datatype ('a, 'putter) take = TAKEN of 'a | FREED of 'a * 'putter | EMPTY
  (* takes the value, and gives its place to the first that waits with another one *)
  val take : ('a, 'taker, 'putter) cell -> ('a, 'putter) take

  (* to wait in a cell that is EMPTY, behind those that wait already *)
  val addTaker : ('a, 'taker, 'putter) cell * 'taker -> unit
  (* likewise in one that is FULL, with the value that goes into it *)
  val addPutter : ('a, 'taker, 'putter) cell * 'a * 'putter -> unit
end =
struct
  datatype ('a, 'taker, 'putter) state =
      NOTHING
    | VALUE of 'a
    (* the first that waits, and those behind it *)
    | TAKERS of 'taker * 'taker Fifo.fifo
    | PUTTERS of 'a * ('a * 'putter) * ('a * 'putter) Fifo.fifo

  type ('a, 'taker, 'putter) cell = ('a, 'taker, 'putter) state ref

  datatype 'taker put = STORED | GIVEN of 'taker | FULL
  datatype ('a, 'putter) take = TAKEN of 'a | FREED of 'a * 'putter | EMPTY

  fun new () = ref NOTHING

  fun put (cell, x) =
    case !cell of
      NOTHING => (cell := VALUE x; STORED)
    | TAKERS (taker, others) =>
        (cell := (case Fifo.take others of NONE => NOTHING | SOME first => TAKERS first);
         GIVEN taker)
    | _ => FULL

  fun take cell =
    case !cell of
      VALUE x => (cell := NOTHING; TAKEN x)
    | PUTTERS (x, (y, putter), others) =>
        (cell :=
           (case Fifo.take others of
              NONE => VALUE y
            | SOME (first, rest) => PUTTERS (y, first, rest));
         FREED (x, putter))
    | _ => EMPTY

  fun addTaker (cell, taker) =
    cell :=
      (case !cell of
         TAKERS (first, others) => TAKERS (first, Fifo.add (others, taker))
       | _ => TAKERS (taker, Fifo.empty))

  fun addPutter (cell, y, putter) =
    cell :=
      (case !cell of
         PUTTERS (x, first, others) => PUTTERS (x, first, Fifo.add (others, (y, putter)))
       | VALUE x => PUTTERS (x, (y, putter), Fifo.empty)
       | other => other)
end
