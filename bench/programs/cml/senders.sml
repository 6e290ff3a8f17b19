(* A4: n receivers, each blocked on a channel of its own, and n senders that one atTimeEvt releases. Prints nanoseconds: a
   message's delay (median), the interval from one receiver to the next, a spawn (mean and 99th percentile), and how many
   were released early. *)

structure Senders =
struct
  open CML

  fun main () =
    let
      val n = Bench.argument 100
      val arrival = Array.array (n, 0.0)
      val delay = Array.array (n, 0.0)
      val spawning = Array.array (2 * n, 0.0)
      val arrived = ref 0
      val done = channel () : unit chan
      val moment = Bench.now () + 3E8 + real n * 3000.0
      val early = ref 0
      fun receiver (i, input) () =
        let
          val sent = recv input
          val time = Bench.now ()
        in
          Array.update (arrival, i, time);
          Array.update (delay, i, time - sent);
          arrived := !arrived + 1;
          if !arrived = n then send (done, ()) else ()
        end
      val release = atTimeEvt (Bench.moment moment)
      fun sender output () =
        let
          val () = sync release
          val time = Bench.now ()
        in
          if time < moment then early := !early + 1 else ();
          send (output, time)
        end
      (* from one look at the clock to the next *)
      val last = ref (Bench.now ())
      fun timed (k, f) =
        let
          val _ = spawn f
          val time = Bench.now ()
        in
          Array.update (spawning, k, time - !last);
          last := time
        end
      fun pairs i =
        if i = n then ()
        else
          let val ch = channel ()
          in
            timed (2 * i, receiver (i, ch));
            timed (2 * i + 1, sender ch);
            pairs (i + 1)
          end
      val () = pairs 0
      val () = recv done
    in
      Bench.figure ("delay-p50", Bench.percentile (50, delay));
      Bench.figure ("interval", (Bench.most arrival - Bench.least arrival) / real n);
      Bench.figure ("spawn-mean", Bench.mean spawning);
      Bench.figure ("spawn-p99", Bench.percentile (99, spawning));
      Bench.count ("early", !early)
    end

  val () = Bench.run main
end
