(* A5: n threads, each on a timeOutEvt of its own, all of which expire after the last spawn. Prints nanoseconds of a spawn
   (mean and 99th percentile), how many woke early, how many out of order, and the lateness in microseconds (99th
   percentile). *)

structure TimeOuts =
struct
  open CML

  fun main () =
    let
      val n = Bench.argument 5000
      val spawning = Array.array (n, 0.0)
      val late = Array.array (n, 0.0)
      val woken = ref 0
      val early = ref 0
      val disorder = ref 0
      val last = ref 0.0
      val done = channel () : unit chan
      (* one a microsecond; the deadline of each is known only to within the time that its spawn takes *)
      val first = Bench.now () + 3E8 + real n * 2000.0
      fun sleeper (i, deadline, span) () =
        let
          (* what its time-out counts from *)
          val own = Bench.now () + span
          val () = sync (timeOutEvt (Bench.span span))
          val lateness = Bench.now () - deadline
        in
          if lateness < 0.0 then early := !early + 1 else ();
          if own < !last then disorder := !disorder + 1 else ();
          last := own;
          Array.update (late, i, lateness);
          woken := !woken + 1;
          if !woken = n then send (done, ()) else ()
        end
      (* a spawn takes from one look at the clock to the next *)
      fun all (i, before') =
        if i = n then ()
        else
          let
            val deadline = first + real i * 1000.0
            val _ = spawn (sleeper (i, deadline, deadline - before'))
            val time = Bench.now ()
          in
            Array.update (spawning, i, time - before');
            all (i + 1, time)
          end
      val () = all (0, Bench.now ())
      val () = recv done
    in
      Bench.figure ("spawn-mean", Bench.mean spawning);
      Bench.figure ("spawn-p99", Bench.percentile (99, spawning));
      Bench.count ("early", !early);
      Bench.count ("disorder", !disorder);
      Bench.figure ("late-p99-us", Bench.percentile (99, late) / 1000.0)
    end

  val () = Bench.run main
end
