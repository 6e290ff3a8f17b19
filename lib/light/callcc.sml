(* Callcc: threads from first-class continuations. A thread that waits takes its continuation, leaves it with the MVar, and
   goes over to the next thread that is ready.

   After Wand, Continuation-based multiprocessing, LISP conference 1980, and Reppy's first Concurrent ML. *)

structure Callcc :> DIRECT =
struct
  structure Ready = Ready ()
  exception Deadlock = Ready.Deadlock
  open SMLofNJ.Cont

  type 'a action = 'a
  type 'a mvar = ('a, 'a cont, unit cont) Cell.cell

  (* Goes over to another thread, for good. What is ready are functions that throw to where their thread goes on. *)
  fun dispatch () = (Ready.next () (); raise Fail "Callcc: a thread came back")

  fun resume (k, x) = Ready.later (fn () => throw k x)

  val mvar = Cell.new

  fun take cell =
    case Cell.take cell of
      Cell.TAKEN x => x
    | Cell.FREED (x, putter) => (resume (putter, ()); x)
    | Cell.EMPTY => callcc (fn k => (Cell.addTaker (cell, k); dispatch ()))

  fun put (cell, x) =
    case Cell.put (cell, x) of
      Cell.STORED => ()
    | Cell.GIVEN taker => resume (taker, x)
    | Cell.FULL => callcc (fn k => (Cell.addPutter (cell, x, k); dispatch ()))

  fun yield () = callcc (fn k => (resume (k, ()); dispatch ()))

  (* Where new threads begin. One that began on the stack of the thread that was left would hold on to that thread. *)
  val bottom : (unit -> unit) cont option ref = ref NONE

  fun spawn thread = Ready.later (fn () => throw (valOf (!bottom)) thread)

  fun run main =
    let
      val () = Ready.clear ()
      val outcome =
        callcc (fn return =>
          let
            fun first () =
              let val x = main () in throw return (fn () => x) end
              handle e => throw return (fn () => raise e)
            val thread = callcc (fn k => (bottom := SOME k; first))
          in
            thread () handle e => throw return (fn () => raise e);
            dispatch () handle e => throw return (fn () => raise e)
          end)
    in
      Ready.clear ();
      bottom := NONE;
      outcome ()
    end
end
