(* A9: threads that talk, beside N threads that compute (4). Prints, in nanoseconds: a message and its answer, at the median,
   for 99 of 100, and at worst; how late a time-out of 10 ms comes, likewise; and what part of its time alone one of those that
   compute gets while two others talk without end, in thousandths of its share (1 of N + 1; a thread that starves has 0). *)

structure Fairness =
struct
  open CML

  fun main () =
    let
      val computing = Bench.argument 4
      val stop = ref false
      (* thousands of steps that each thread that computes has done, and what it came to, so that it is computed *)
      val steps = Array.array (computing + 1, 0.0)
      val ends = Array.array (computing + 1, 0)
      fun compute i =
        let
          fun go (n, k) =
            if !stop then Array.update (ends, i, k)
            else if n = 0 then (Array.update (steps, i, Array.sub (steps, i) + 1.0); go (1000, k))
            else go (n - 1, (k * 3 + 1) mod 1000003)
        in
          go (1000, 1)
        end
      fun clock () = Bench.now ()
      fun total () = Array.foldl op + 0.0 steps
      (* how many steps are done in a nanosecond while f runs *)
      fun rate f =
        let
          val (start, before') = (clock (), total ())
          val () = f ()
        in
          (total () - before') / (clock () - start)
        end
      fun sleep ms = sync (timeOutEvt (Time.fromMilliseconds ms))
      (* one of them, alone but for a thread that sleeps *)
      val _ = spawn (fn () => compute computing)
      val () = sleep 20
      val alone = rate (fn () => sleep 200)
      val () = (stop := true; sleep 20; stop := false)
      val () = List.app (fn i => ignore (spawn (fn () => compute i))) (List.tabulate (computing, fn i => i))
      (* those that were just started have their first slice behind them *)
      val () = sleep 200

      val (there, back) = (channel () : int chan, channel () : int chan)
      fun echo () = (send (back, recv there); echo ())
      val _ = spawn echo
      fun message n = (send (there, n); ignore (recv back))
      fun timed f = let val start = clock () in f (); clock () - start end
      fun show (name, a) =
        (Bench.figure (name ^ "-p50", Bench.percentile (50, a));
         Bench.figure (name ^ "-p99", Bench.percentile (99, a));
         Bench.figure (name ^ "-most", Bench.most a))
      val messages = Array.tabulate (1000, fn n => timed (fn () => message n))
      val () = show ("message", messages)
      val lateness =
        Array.tabulate (200, fn _ => Real.max (0.0, timed (fn () => sync (timeOutEvt (Time.fromMilliseconds 10))) - 1E7))
      val () = show ("late", lateness)

      val finish = clock () + 1E9
      fun talk n = if clock () > finish then () else (message n; talk (n + 1))
      val each = rate (fn () => talk 0) / real computing
    in
      stop := true;
      Bench.figure ("computes", 1000.0 * each / alone * real (computing + 1))
    end

  val () = Bench.run main
end
