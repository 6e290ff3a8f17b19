(* The sieve of Eratosthenes: the first n primes, each a thread. Prints milliseconds. *)

structure Sieve =
struct
  open CML

  fun filter (p, input) =
    let
      val output = channel ()
      fun loop () =
        let val i = recv input
        in
          if i mod p <> 0 then send (output, i) else ();
          loop ()
        end
    in
      ignore (spawn loop);
      output
    end

  fun primes n =
    let
      val numbers = channel ()
      fun count i = (send (numbers, i); count (i + 1))
      fun take (0, _, last) = last
        | take (n, input, _) = let val p = recv input in take (n - 1, filter (p, input), p) end
    in
      ignore (spawn (fn () => count 2));
      take (n, numbers, 0)
    end

  fun main () =
    let
      val n = Bench.argument 2000
      val start = Bench.now ()
      val last = primes n
    in
      Bench.figure ("sieve-ms", (Bench.now () - start) / 1E6);
      Bench.count ("last-prime", last)
    end

  val () = Bench.run main
end
