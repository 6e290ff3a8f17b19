(* NETWORKS: the three process networks of the comparison, each a function of its size. *)

signature NETWORKS =
sig
  (* the n-th number that a Kahn process network of a fixed number of threads gives: Fibonacci's, from the 0th, modulo
     536,870,909 *)
  val kpn : int -> int
  (* the n-th prime, by a chain of filters, one for each prime, that grows *)
  val sieve : int -> int
  (* sorts n numbers in a network of n (n - 1) / 2 threads that compare two each; a checksum of the order *)
  val sorter : int -> int
  (* the same network, which is set up but does not run: how many threads it has *)
  val setup : int -> int
end

(* The numbers are such that no step overflows 31 bits, so that they are the same on all systems. *)
structure Numbers =
struct
  val modulus = 536870909

  (* the numbers to sort, from a linear congruential generator *)
  fun random n =
    let
      fun go (0, _, numbers) = numbers
        | go (k, seed, numbers) =
            let val seed = (seed * 1366 + 150889) mod 714025
            in go (k - 1, seed, seed :: numbers) end
    in
      go (n, 42, [])
    end

  (* depends on every number and on their order *)
  fun checksum (x, sum) = (sum * 31 + x) mod 1000003
end
