(* A ring of n threads that pass a number round until it has made a million steps; and a chain of n filters that each adds
   one to 1,000,000 / n numbers. Prints nanoseconds a step. *)

structure Ring =
struct
  open CML

  val steps = 1000000

  fun ring n =
    let
      val first : int chan = channel ()
      val result : int chan = channel ()
      fun node (input, output) =
        let
          fun loop () =
            case recv input of
              0 => send (result, 0)
            | k => (send (output, k - 1); loop ())
        in
          ignore (spawn loop)
        end
      fun link (1, input) = node (input, first)
        | link (k, input) = let val output = channel () in node (input, output); link (k - 1, output) end
      val () = link (n, first)
      val start = Bench.now ()
    in
      send (first, steps);
      recv result;
      (Bench.now () - start) / real steps
    end

  fun chain n =
    let
      val source : int chan = channel ()
      fun add (input, output) = (send (output, recv input + 1); add (input, output))
      fun link (0, input) = input
        | link (k, input) =
            let val output = channel ()
            in ignore (spawn (fn () => add (input, output))); link (k - 1, output) end
      val sink = link (n, source)
      val numbers = steps div n
      fun feed 0 = ()
        | feed k = (send (source, k); feed (k - 1))
      fun drain (0, sum) = sum
        | drain (k, sum) = drain (k - 1, sum + recv sink)
      val start = Bench.now ()
      val _ = spawn (fn () => feed numbers)
      val sum = drain (numbers, 0)
    in
      if sum = numbers * (numbers + 1) div 2 + numbers * n then () else raise Fail "a number was lost";
      (Bench.now () - start) / real (numbers * n)
    end

  fun main () =
    let val n = Bench.argument 1000
    in
      Bench.figure ("ring", ring n);
      Bench.figure ("chain", chain n)
    end

  val () = Bench.run main
end
