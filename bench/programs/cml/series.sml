(* A4, A5, A6 point by point: every spawn and every wake-up by the number of its thread, as the document lists them.
   usage: series senders|timeouts|shared-at|shared-out N

   Prints lines `name number nanoseconds`, and for what took long a line `mark name number cause`. The clock's own time is
   in every value; the counters for the cause are read only behind a slow one, and not within a measured time. *)

structure Series =
struct
  open CML

  fun point name (i, x) =
    TextIO.print (concat [name, " ", Int.toString i, " ", Real.fmt (StringCvt.FIX (SOME 0)) (Real.max (0.0, x)), "\n"])

  fun all (name, a) = Array.appi (fn (i, x) => point name (i, x)) a

  (* ten times the median and 5 us is slow *)
  fun marker name =
    let val causes = ref []
    in
      {note = fn (i, took) => if took > 5000.0 then causes := (i, took, Cause.since ()) :: !causes else (),
       print = fn limit =>
         List.app (fn (i, took, cause) =>
           if took > limit then TextIO.print (concat ["mark ", name, " ", Int.toString i, " ", cause, "\n"]) else ()) (!causes)}
    end

  fun limit a = Real.max (5000.0, 10.0 * Bench.percentile (50, a))

  fun senders n =
    let
      val arrival = Array.array (n, 0.0)
      val delay = Array.array (n, 0.0)
      val spawning = Array.array (2 * n, 0.0)
      val arrived = ref 0
      val done = channel () : unit chan
      val moment = Bench.now () + 3E8 + real n * 5000.0
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
      fun sender output () = (sync release; send (output, Bench.now ()))
      val {note, print} = marker "spawn"
      val () = ignore (Cause.since ())
      fun timed (k, f) =
        let
          val before' = Bench.now ()
          val _ = spawn f
          val took = Bench.now () - before'
        in
          Array.update (spawning, k, took);
          note (k, took)
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
      val first = Bench.least arrival
    in
      all ("spawn", spawning);
      print (limit spawning);
      all ("delay", delay);
      Array.appi (fn (i, x) => point "arrival" (i, x - first)) arrival
    end

  (* threads that wait: each spawn, and when each one is awake, after the first; by `order`, in the order of waking *)
  fun waiting (n, event) =
    let
      val spawning = Array.array (n, 0.0)
      val woken = Array.array (n, 0.0)
      val order = Array.array (n, 0)
      val count = ref 0
      val done = channel () : unit chan
      val {note, print} = marker "spawn"
      val () = ignore (Cause.since ())
      fun sleeper (i, event) () =
        (sync event;
         Array.update (woken, i, Bench.now ());
         Array.update (order, !count, i);
         count := !count + 1;
         if !count = n then send (done, ()) else ())
      fun go i =
        if i = n then ()
        else
          let
            val e = event i
            val before' = Bench.now ()
            val _ = spawn (sleeper (i, e))
            val took = Bench.now () - before'
          in
            Array.update (spawning, i, took);
            note (i, took);
            go (i + 1)
          end
      val () = go 0
      val () = recv done
      val first = Bench.least woken
    in
      all ("spawn", spawning);
      print (limit spawning);
      Array.appi (fn (i, x) => point "wake" (i, x - first)) woken;
      Array.appi (fn (i, k) => point "order" (i, real k)) order
    end

  (* the document's span: well after the last spawn *)
  fun timeouts n = waiting (n, fn _ => timeOutEvt (Bench.span (1E9 + real n * 20000.0)))

  fun main () =
    let
      val n = Bench.argument 100
      val modes = ["senders", "timeouts", "shared-at", "shared-out"]
      fun is mode = List.exists (fn word => word = mode) (CommandLine.arguments ())
    in
      case List.find is modes of
        SOME "senders" => senders n
      | SOME "timeouts" => timeouts n
      | SOME "shared-out" => let val e = timeOutEvt (Bench.span 3E8) in waiting (n, fn _ => e) end
      | SOME _ => let val e = atTimeEvt (Bench.moment (Bench.now () + 3E8)) in waiting (n, fn _ => e) end
      | NONE => raise Fail "usage: series senders|timeouts|shared-at|shared-out N"
    end

  val () = Bench.run main
end
