(* Tramp: trampolined style. A thread is a function to be called when its turn comes; where it would wait, it leaves the rest
   of its work, as a function of what it waits for, and returns to the scheduler, the trampoline.

   After Ganz, Friedman and Wand, Trampolined style, ICFP 1999. An action is an instruction that lacks its continuation, so
   `>>=` is application. *)

structure Tramp :> MONADIC =
struct
  structure Ready = Ready ()
  exception Deadlock = Ready.Deadlock

  type 'a action = ('a -> unit) -> unit
  type process = unit
  type 'a mvar = ('a, 'a -> unit, unit -> unit) Cell.cell

  fun >>= (action, rest) = action rest
  val finished = ()

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

  fun spawn thread rest = (Ready.later thread; rest ())
  fun yield () rest = Ready.later rest

  fun run main =
    let
      val result = ref NONE
    in
      Ready.clear ();
      main (fn x => result := SOME x);
      Ready.until result
    end
end
