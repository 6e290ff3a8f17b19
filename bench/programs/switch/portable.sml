(* The switches of C1 that SML/NJ has too: CML's yield, and callcc and throw. In nanoseconds of processor time a switch, the best
   of three. *)

structure Portable =
struct
  val rounds = 10000000

  fun timed f =
    let
      val timer = Timer.startCPUTimer ()
      val () = f ()
    in
      Time.toReal (#usr (Timer.checkCPUTimer timer)) * 1E9 / (2.0 * real rounds)
    end

  fun figure (name, f) =
    TextIO.print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 2)) (List.foldl Real.min Real.posInf (List.tabulate (3, fn _ => f ()))) ^ "\n")

  (* two threads that yield to each other *)
  fun yields () =
    let
      val stop = ref false
      val _ = CML.spawn (fn () => let fun loop () = if !stop then () else (CML.yield (); loop ()) in loop () end)
      fun loop 0 = ()
        | loop n = (CML.yield (); loop (n - 1))
      val () = loop 1000
      val took = timed (fn () => loop rounds)
    in
      stop := true;
      CML.yield ();
      took
    end

  (* two continuations of one thread that throw to each other; both run the same loop *)
  fun conts () =
    let
      open SMLofNJ.Cont
      val other : unit cont option ref = ref NONE
      fun swap () =
        callcc (fn k => case !other of SOME next => (other := SOME k; throw next ()) | NONE => ())
      fun loop 0 = ()
        | loop n = (swap (); loop (n - 1))
      val () = callcc (fn back => (callcc (fn k => (other := SOME k; throw back ())); loop (2 * rounds)))
      val () = loop 1000
    in
      timed (fn () => loop rounds)
    end

  fun main () = (figure ("cml-yield", yields); figure ("callcc-throw", conts); RunCML.shutdown OS.Process.success)
  val _ = RunCML.doit (main, NONE)
end
