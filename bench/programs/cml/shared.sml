(* A6: a thousand threads on one atTimeEvt, and each on a timeOutEvt. Prints nanoseconds of a spawn and microseconds from
   the first awake to the last, for both. As many threads run before, so that neither of the two is the first to touch the
   program's memory. *)

structure Shared =
struct
  open CML

  fun one (show, name, n, event) =
    let
      val woken = Array.array (n, 0.0)
      val count = ref 0
      val done = channel () : unit chan
      fun sleeper i () =
        (sync event;
         Array.update (woken, i, Bench.now ());
         count := !count + 1;
         if !count = n then send (done, ()) else ())
      val start = Bench.now ()
      fun all i = if i = n then () else (ignore (spawn (sleeper i)); all (i + 1))
      val () = all 0
      val spawned = Bench.now () - start
      val () = recv done
    in
      if show then
        (Bench.figure (name ^ "-spawn", spawned / real n);
         Bench.figure (name ^ "-awake-us", (Bench.most woken - Bench.least woken) / 1000.0))
      else ()
    end

  fun main () =
    let val n = Bench.argument 1000
    in
      one (false, "", n, timeOutEvt (Bench.span 1E7));
      one (true, "at-time", n, atTimeEvt (Bench.moment (Bench.now () + 1E8)));
      one (true, "time-out", n, timeOutEvt (Bench.span 1E8))
    end

  val () = Bench.run main
end
