(* Several workers: two ping-pongs that know nothing of each other, and one channel with K senders and K receivers. Prints
   nanoseconds of a round trip (of either pair) and of a message. Run it with one worker and with two. *)

structure Pairs =
struct
  open CML

  val rounds = 3000000
  val messages = 1000000

  (* the time from the first of these threads' start to the last one's end *)
  fun together threads =
    let
      val start = Bench.now ()
      val ids = List.map spawn threads
    in
      List.app (fn id => sync (joinEvt id)) ids;
      Bench.now () - start
    end

  fun pingpongs () =
    let
      fun pair () =
        let
          val there = channel () and back = channel ()
          fun partner 0 = ()
            | partner n = (send (back, recv there + 1); partner (n - 1))
          fun loop (0, _ : int) = ()
            | loop (n, x) = (send (there, x); loop (n - 1, recv back))
        in
          [fn () => partner rounds, fn () => loop (rounds, 0)]
        end
    in
      together (pair () @ pair ())
    end

  fun oneChannel k () =
    let
      val ch : int chan = channel ()
      val each = messages div k
      fun sender 0 = ()
        | sender n = (send (ch, n); sender (n - 1))
      fun receiver 0 = ()
        | receiver n = (ignore (recv ch); receiver (n - 1))
    in
      together (List.concat (List.tabulate (k, fn _ => [fn () => sender each, fn () => receiver each])))
    end

  fun main () =
    (Bench.figure ("pair", Bench.best pingpongs / real (2 * rounds));
     Bench.figure ("channel-1", Bench.best (oneChannel 1) / real messages);
     Bench.figure ("channel-2", Bench.best (oneChannel 2) / real messages);
     Bench.figure ("channel-10", Bench.best (oneChannel 10) / real messages))

  val () = Bench.run main
end
