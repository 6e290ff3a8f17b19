(* A8: a message to a thread and one back; and a message on one of two, of eight channels that a thread chooses among, in
   turn. The events are made once, or anew for each choice. Prints nanoseconds. *)

structure PingPong =
struct
  open CML

  val rounds = 1000000

  fun timed f =
    let val start = Bench.now ()
    in f (); Bench.now () - start end

  fun pingpong () =
    let
      val there = channel ()
      val back = channel ()
      fun partner () = (send (back, recv there + 1); partner ())
      val _ = spawn partner
      fun loop (0, x) = x
        | loop (n, x) = (send (there, x); loop (n - 1, recv back))
      val _ = loop (1000, 0)
    in
      timed (fn () => if loop (rounds, 0) = rounds then () else raise Fail "a message was lost")
    end

  fun choosing (k, choose : int chan list -> unit -> int) () =
    let
      val channels = List.tabulate (k, fn _ => channel () : int chan)
      fun sender [] = sender channels
        | sender (ch :: rest) = (send (ch, 1); sender rest)
      val _ = spawn (fn () => sender channels)
      val next = choose channels
      fun loop (0, sum) = sum
        | loop (n, sum) = loop (n - 1, sum + next ())
      val _ = loop (1000, 0)
    in
      timed (fn () => if loop (rounds, 0) = rounds then () else raise Fail "a message was lost")
    end

  fun kept channels =
    let val events = map recvEvt channels
    in fn () => select events end
  fun fresh2 channels =
    case channels of
      [a, b] => (fn () => select [wrap (recvEvt a, fn x => x), wrap (recvEvt b, fn y => y)])
    | _ => raise Match

  fun figure (name, f) = Bench.figure (name, Bench.best f / real rounds)

  fun main () =
    (figure ("pingpong", pingpong);
     figure ("select2", choosing (2, kept));
     figure ("select2-anew", choosing (2, fresh2));
     figure ("select8", choosing (8, kept)))

  val () = Bench.run main
end
