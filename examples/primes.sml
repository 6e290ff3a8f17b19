(* The sieve of Eratosthenes as a chain of threads: each prime is a thread that lets pass what it does not divide.
   Usage: leat run examples/primes.sml [how many] *)

open CML

(* 2, 3, 4, ... for ever *)
fun numbers out =
  let
    fun loop n = (send (out, n); loop (n + 1))
  in
    ignore (spawn (fn () => loop 2))
  end

(* passes what p does not divide from one channel to the next *)
fun filter (p, input, output) =
  let
    fun loop () =
      let
        val n = recv input
      in
        if n mod p <> 0 then send (output, n) else ();
        loop ()
      end
  in
    ignore (spawn loop)
  end

(* a channel on which the primes come, in order *)
fun sieve () =
  let
    val primes = channel ()
    fun head input =
      let
        val p = recv input
        val rest = channel ()
      in
        send (primes, p);
        filter (p, input, rest);
        head rest
      end
    val start = channel ()
  in
    numbers start;
    ignore (spawn (fn () => head start));
    primes
  end

fun main count =
  let
    val primes = sieve ()
    fun loop 0 = ()
      | loop n =
          (print (Int.toString (recv primes) ^ (if n mod 10 = 1 then "\n" else " ")); loop (n - 1))
  in
    loop count
  end

val count =
  case CommandLine.arguments () of
    [n] => getOpt (Int.fromString n, 100)
  | _ => 100

val _ = RunCML.doit (fn () => main count, NONE)
