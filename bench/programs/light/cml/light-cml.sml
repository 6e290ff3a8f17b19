(* The networks by Concurrent ML's channels; ../direct.sml explains them. A send waits for its receiver, as is CML's way.
   For SML/NJ (light-cml.cm), MLton (light-cml.mlb, with 64-bit ints) and Leat (either). *)

structure LightCML =
struct
  open CML

  val modulus = 536870909

  fun random n =
    let
      fun go (0, _, numbers) = numbers
        | go (k, seed, numbers) =
            let val seed = (seed * 1366 + 150889) mod 714025
            in go (k - 1, seed, seed :: numbers) end
    in
      go (n, 42, [])
    end

  fun start f = ignore (spawn f)

  fun plus (a, b, c) () =
    let
      val x = recv a
      val y = recv b
    in
      send (c, (x + y) mod modulus);
      plus (a, b, c) ()
    end

  fun copy (from, to) = (send (to, recv from); copy (from, to))
  fun cons (x : int, from, to) () = (send (to, x); copy (from, to))

  fun split (from, one, other) () =
    let val x : int = recv from
    in
      send (one, x);
      send (other, x);
      split (from, one, other) ()
    end

  fun kpn n =
    let
      val (a, b, c, d, e, f, out) =
        (channel (), channel (), channel (), channel (), channel (), channel (), channel ())
      fun last k = let val x = recv out in if k = 0 then x else last (k - 1) end
    in
      start (plus (a, b, c));
      start (cons (1, c, d));
      start (split (d, e, b));
      start (cons (0, e, f));
      start (split (f, a, out));
      last n
    end

  fun count (k : int, to) () = (send (to, k); count (k + 1, to) ())

  fun filter (p, from, to) () =
    let val x = recv from
    in
      if x mod p = 0 then () else send (to, x);
      filter (p, from, to) ()
    end

  fun sieve n =
    let
      val numbers = channel ()
      fun next (k, from) =
        let val p : int = recv from
        in
          if k = 1 then p
          else
            let val to = channel ()
            in
              start (filter (p, from, to));
              next (k - 1, to)
            end
        end
    in
      start (count (2, numbers));
      next (n, numbers)
    end

  fun comparator (a, b, low, high) () =
    let
      val x = recv a
      val y = recv b
    in
      send (low, Int.min (x, y));
      send (high, Int.max (x, y))
    end

  fun row (least, []) = (least, [])
    | row (least, from :: others) =
        let
          val (low, high) = (channel (), channel ())
          val () = start (comparator (least, from, low, high))
          val (least, outs) = row (low, others)
        in
          (least, high :: outs)
        end

  fun network [] = []
    | network (first :: others) =
        let val (least, others) = row (first, others)
        in least :: network others end

  fun sorter n =
    let
      val ins = List.tabulate (n, fn _ => channel ())
      val outs = network ins
    in
      start (fn () => ListPair.app send (ins, random n));
      foldl (fn (out, sum) => (sum * 31 + recv out) mod 1000003) 0 outs
    end

  fun setup n = (network (List.tabulate (n, fn _ => channel ())); n * (n - 1) div 2)

  (* the line `VmHWM:   123456 kB` of the process's status *)
  fun resident () =
    let
      val status = TextIO.openIn "/proc/self/status"
      fun find () =
        case TextIO.inputLine status of
          NONE => "0"
        | SOME line =>
            if String.isPrefix "VmHWM:" line then
              LargeInt.toString (valOf (LargeInt.fromString (String.extract (line, 6, NONE))) * 1024)
            else find ()
    in
      find () before TextIO.closeIn status
    end

  fun main (system, arguments) =
    case arguments of
      [network, n] =>
        let
          val f = case network of "kpn" => kpn | "sieve" => sieve | "sorter" => sorter | _ => setup
          val n = valOf (Int.fromString n)
          fun body () =
            let
              val timer = Timer.startCPUTimer ()
              val result = f n
              val {usr, sys} = Timer.checkCPUTimer timer
            in
              print (String.concatWith " "
                ["style=" ^ system, "network=" ^ network, "n=" ^ Int.toString n, "result=" ^ Int.toString result,
                 "cpu-us=" ^ LargeInt.toString (Time.toMicroseconds (Time.+ (usr, sys))),
                 "resident=" ^ resident ()] ^ "\n");
              RunCML.shutdown OS.Process.success
            end
        in
          RunCML.doit (body, NONE)
        end
    | _ => (TextIO.output (TextIO.stdErr, "usage: light-cml kpn|sieve|sorter|sorter-d N\n"); OS.Process.failure)
end
