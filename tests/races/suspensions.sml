(* What a suspension's function has done comes before what others do who force it, also where it has raised an
   exception or ended its thread, and another one runs it again. Nothing said so when suspensions had no lock. *)
open CML
fun times n f = app (sync o joinEvt) (List.tabulate (n, fn _ => spawn f))
fun trial pause fails =
  let
    val runs = ref 0
    val s =
      SMLofNJ.Susp.delay (fn () =>
        let
          val r = ref 0
        in
          runs := !runs + 1;
          pause ();
          if !runs = 1 then fails () else ();
          r := 5;
          r
        end)
    fun force () = print (if !(SMLofNJ.Susp.force s) = 5 then "" else "another value\n") handle Fail _ => ()
  in
    times 4 force;
    print (Int.toString (!runs) ^ "\n")
  end
val () = app (fn pause => app (trial pause) [fn () => (), fn () => raise Fail "", fn () => CML.exit ()]) [fn () => (), yield]
