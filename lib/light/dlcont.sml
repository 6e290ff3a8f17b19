(* Dlcont: threads from delimited control. A thread runs inside a reset; where it waits, shiftOnce takes what it would do next, as
   far as the reset, as a function, and the scheduler that called it goes on.

   After Kiselyov, Delimited control in OCaml, FLOPS 2010. In contrast to Callcc, what is taken is the thread and nothing of
   the scheduler's, and the thread comes back to its caller: the scheduler is the loop that Tramp has. *)

structure Dlcont :> DIRECT =
struct
  structure Ready = Ready ()
  exception Deadlock = Ready.Deadlock

  type 'a action = 'a
  type 'a mvar = ('a, 'a -> unit, unit -> unit) Cell.cell

  val scheduler : unit Prompt.prompt = Prompt.new ()

  val mvar = Cell.new

  fun take cell =
    case Cell.take cell of
      Cell.TAKEN x => x
    | Cell.FREED (x, putter) => (Ready.later putter; x)
    | Cell.EMPTY => Prompt.shiftOnce scheduler (fn rest => Cell.addTaker (cell, rest))

  fun put (cell, x) =
    case Cell.put (cell, x) of
      Cell.STORED => ()
    | Cell.GIVEN taker => Ready.later (fn () => taker x)
    | Cell.FULL => Prompt.shiftOnce scheduler (fn rest => Cell.addPutter (cell, x, rest))

  fun spawn thread = Ready.later (fn () => Prompt.reset scheduler thread)
  fun yield () = Prompt.shiftOnce scheduler Ready.later

  fun run main =
    let
      val result = ref NONE
    in
      Ready.clear ();
      spawn (fn () => result := SOME (main ()));
      Ready.until result
    end
end
