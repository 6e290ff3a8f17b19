(* Several workers on work of all kinds: threads that hand each other numbers (a pipeline, a ring, requests to a server,
   a lock that many want, a sieve, a network of Kahn's), pools whose jobs take from 0.3 to 100 us, and a parallel map.
   Prints nanoseconds of a number's way through the pipeline, of a job, of a step of the ring and so on, and beside each
   the processor time. An argument: only what has this name. *)

structure Places =
struct
  open CML

  val only = case rev (CommandLine.arguments ()) of word :: _ => SOME word | [] => NONE

  (* wall and processor time of so many operations, each *)
  fun row (name, n, f) =
    if Option.getOpt (only, name) <> name then ()
    else
      let
        val start = Bench.now ()
        and timer = Timer.startCPUTimer ()
        val () = f ()
        val wall = Bench.now () - start
        val {usr, sys} = Timer.checkCPUTimer timer
      in
        Bench.figure (name, wall / real n);
        Bench.figure (name ^ "-cpu", Time.toReal (Time.+ (usr, sys)) * 1E9 / real n)
      end

  fun join threads = List.app (fn id => sync (joinEvt id)) (List.map spawn threads)

  fun drain (0, _) = ()
    | drain (n, from : int chan) = (ignore (recv from); drain (n - 1, from))

  fun pipeline n () =
    let
      val first : int chan = channel ()
      fun stage (0, input) = input
        | stage (k, input) =
            let
              val output = channel ()
              fun loop () = (send (output, recv input + 1); loop ())
            in
              ignore (spawn loop);
              stage (k - 1, output)
            end
      val last = stage (3, first)
      fun source 0 = ()
        | source i = (send (first, i); source (i - 1))
    in
      join [fn () => source n, fn () => drain (n, last)]
    end

  fun work (0, x) = x
    | work (n, x : word) = work (n - 1, x * 0w6364136223846793005 + 0w1442695040888963407)

  (* 100 threads take jobs from a mailbox and answer into another one *)
  fun pool (rounds, jobs) () =
    let
      val todo = Mailbox.mailbox ()
      and results = Mailbox.mailbox ()
      fun worker () =
        case Mailbox.recv todo of
          0w0 => ()
        | x => (Mailbox.send (results, work (rounds, x)); worker ())
      fun produce 0 = ()
        | produce n = (Mailbox.send (todo, Word.fromInt n); produce (n - 1))
      fun collect 0 = ()
        | collect n = (ignore (Mailbox.recv results); collect (n - 1))
      val workers = List.tabulate (100, fn _ => spawn worker)
    in
      produce jobs;
      collect jobs;
      List.app (fn _ => Mailbox.send (todo, 0w0)) workers;
      List.app (fn id => sync (joinEvt id)) workers
    end

  (* each of 64 threads looks for the longest chain of Collatz in its part *)
  fun map n () =
    let
      fun steps (1, k) = k
        | steps (i, k) = steps (if i mod 2 = 0 then i div 2 else 3 * i + 1, k + 1)
      fun longest (i, last, best) =
        if i > last then best else longest (i + 1, last, Int.max (best, steps (i, 0)))
      val part = n div 64
      fun chunk i () = ignore (longest (1 + i * part, (i + 1) * part, 0))
    in
      join (List.tabulate (64, chunk))
    end

  fun ring n () =
    let
      val size = 1000
      val first : int chan = channel ()
      val over : unit chan = channel ()
      fun link (0, input) = input
        | link (k, input) =
            let
              val output = channel ()
              fun loop () = (send (output, recv input); loop ())
            in
              ignore (spawn loop);
              link (k - 1, output)
            end
      val last = link (size - 1, first)
      fun turn 0 = send (over, ())
        | turn i = (send (first, i); ignore (recv last); turn (i - 1))
    in
      ignore (spawn (fn () => turn (n div size)));
      recv over
    end

  fun mvar n () =
    let
      val v = SyncVar.mVarInit 0
      val each = n div 1000
      fun take 0 = ()
        | take i = (SyncVar.mPut (v, SyncVar.mTake v + 1); take (i - 1))
    in
      join (List.tabulate (1000, fn _ => fn () => take each))
    end

  fun rpc n () =
    let
      val {call, entryEvt} = SimpleRPC.mkRPC (fn x => x + 1)
      fun serve () = (sync entryEvt; serve ())
      val each = n div 1000
      fun client 0 = ()
        | client i = (ignore (call i); client (i - 1))
    in
      ignore (spawn serve);
      join (List.tabulate (1000, fn _ => fn () => client each))
    end

  fun sieve n () =
    let
      fun filter (p, input) =
        let
          val output = channel ()
          fun loop () =
            let val i = recv input in if i mod p <> 0 then send (output, i) else (); loop () end
        in
          ignore (spawn loop);
          output
        end
      val numbers = channel ()
      fun count i = (send (numbers, i); count (i + 1))
      fun primes (0, _) = ()
        | primes (n, input) = let val p = recv input in primes (n - 1, filter (p, input)) end
    in
      ignore (spawn (fn () => count 2));
      primes (n, numbers)
    end

  (* Kahn's network of the numbers of Fibonacci (modulo a prime): a sum, two cells that hold a number back, two forks *)
  fun kpn n () =
    let
      fun loop step = ignore (spawn (let fun again () = (step (); again ()) in again end))
      val (a, b, c, d, e, f, out) =
        (channel (), channel (), channel (), channel (), channel (), channel (), channel ())
      fun split (from, one, other) =
        loop (fn () => let val x = recv from in send (one, x); send (other, x) end)
      fun cons (first, from, to) =
        ignore (spawn (fn () => (send (to, first); loop (fn () => send (to, recv from)))))
    in
      loop (fn () => send (c, (recv a + recv b) mod 1000003));
      cons (1, c, d);
      split (d, e, b);
      cons (0, e, f);
      split (f, a, out);
      drain (n, out)
    end

  fun main () =
    (row ("pipeline", 1000000, pipeline 1000000);
     row ("job-0", 500000, pool (200, 500000));
     row ("job-5us", 40000, pool (5000, 40000));
     row ("job-20us", 10000, pool (20000, 10000));
     row ("job-100us", 3000, pool (100000, 3000));
     row ("map", 3000000, map 3000000);
     row ("ring", 2000000, ring 2000000);
     row ("mvar", 3000000, mvar 3000000);
     row ("rpc", 1000000, rpc 1000000);
     row ("sieve", 1500, sieve 1500);
     row ("kpn", 200000, kpn 200000))

  val () = Bench.run main
end
