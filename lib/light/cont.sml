(* Cont: the continuation monad. The same machine as Tramp's, but an action is a value that may be made of others: `>>=` gives
   an action, which does something when it gets its continuation.

   After Claessen, A poor man's concurrency monad, JFP 1999. *)

structure Cont :> MONAD =
struct
  structure Ready = Ready ()
  exception Deadlock = Ready.Deadlock

  type 'a action = ('a -> unit) -> unit
  type process = unit action
  type 'a mvar = ('a, 'a -> unit, unit -> unit) Cell.cell

  fun return x rest = rest x
  fun >>= (action, f) rest = action (fn x => f x rest)
  fun finished rest = rest ()

  (* a whole thread: nothing comes after its end *)
  fun start process = process (fn () => ())

  val mvar = Cell.new

  fun take cell rest =
    case Cell.take cell of
      Cell.TAKEN x => rest x
    | Cell.FREED (x, putter) => (Ready.later putter; rest x)
    | Cell.EMPTY => Cell.addTaker (cell, rest)

  fun put (cell, x) rest =
    case Cell.put (cell, x) of
      Cell.STORED => rest ()
    | Cell.GIVEN taker => (Ready.later (fn () => taker x); rest ())
    | Cell.FULL => Cell.addPutter (cell, x, rest)

  fun spawn thread rest = (Ready.later (fn () => start (thread ())); rest ())
  fun yield () rest = Ready.later rest

  fun run main =
    let
      val result = ref NONE
    in
      Ready.clear ();
      start (main (fn x => fn rest => (result := SOME x; rest ())));
      Ready.until result
    end
end
