(* Several workers: two ping-pongs that know nothing of each other; one channel with K senders and K receivers; a pool of 8
   threads that get jobs from a channel. Prints nanoseconds of a round trip (of either pair), of a message, and of a job of
   N thousand rounds of a random generator. Run it with one worker and with two. *)

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

  fun work (0, x) = x
    | work (n, x : word) = work (n - 1, x * 0w6364136223846793005 + 0w1442695040888963407)

  fun pool (thousands, jobs) () =
    let
      val todo : word chan = channel ()
      val results = channel ()
      fun worker () = (send (results, work (thousands * 1000, recv todo)); worker ())
      fun collect 0 = ()
        | collect n = (ignore (recv results); collect (n - 1))
      fun produce 0 = ()
        | produce n = (send (todo, Word.fromInt n); produce (n - 1))
    in
      List.app ignore (List.tabulate (8, fn _ => spawn worker));
      together [fn () => produce jobs, fn () => collect jobs]
    end

  fun main () =
    (Bench.figure ("pair", Bench.best pingpongs / real (2 * rounds));
     Bench.figure ("channel-1", Bench.best (oneChannel 1) / real messages);
     Bench.figure ("channel-2", Bench.best (oneChannel 2) / real messages);
     Bench.figure ("channel-10", Bench.best (oneChannel 10) / real messages);
     Bench.figure ("job-1000", Bench.best (pool (1000, 300)) / 300.0);
     Bench.figure ("job-100", Bench.best (pool (100, 3000)) / 3000.0);
     Bench.figure ("job-10", Bench.best (pool (10, 20000)) / 20000.0))

  val () = Bench.run main
end
