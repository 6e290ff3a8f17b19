(* A7-scopes: what a scope costs. Spawns of threads that end at once, scopes with one such thread, and forks into one scope;
   then a message to a thread outside and to one in a scope, and a deadline for a call. Each is measured in turn with the
   spawns, so that `per-spawn` is a ratio of the same moments. Prints nanoseconds of each. *)

structure Scopes =
struct
  val n = Bench.argument 100000
  val rounds = 7

  fun loop f = let fun go 0 = () | go k = (f (); go (k - 1)) in go n end
  fun timed f =
    let val start = Bench.now ()
    in f (); (Bench.now () - start) / real n end

  fun spawns () = loop (fn () => ignore (CML.spawn (fn () => ())))
  fun joins () = loop (fn () => CML.sync (CML.joinEvt (CML.spawn (fn () => ()))))
  fun scopes () = loop (fn () => Scope.run (fn scope => ignore (Scope.fork scope (fn () => ()))))
  fun forks () = Scope.run (fn scope => loop (fn () => ignore (Scope.fork scope (fn () => ()))))
  fun deadlines () = loop (fn () => ignore (Scope.within (Time.fromSeconds 100) (fn _ => ())))

  (* n messages to a thread that waits for each *)
  fun messages start () =
    let
      val input : int CML.chan = CML.channel ()
      fun receive k = if CML.recv input = 0 then () else receive (k + 1)
    in
      start (fn () => receive 0, fn () => (loop (fn () => CML.send (input, 1)); CML.send (input, 0)))
    end
  val outside = messages (fn (receive, send) => (ignore (CML.spawn receive); send ()))
  val inside = messages (fn (receive, send) => Scope.run (fn scope => (ignore (Scope.fork scope receive); send ())))

  val kinds =
    [("spawn", spawns), ("spawn-join", joins), ("scope", scopes), ("fork", forks), ("deadline", deadlines), ("message", outside),
     ("message-in-scope", inside)]

  fun main () =
    let
      val all = List.tabulate (rounds, fn _ => map (fn (_, f) => timed f) kinds)
      fun best l = List.foldl Real.min Real.posInf l
      fun of' i = best (map (fn round => List.nth (round, i)) all)
      fun each ([], _) = ()
        | each ((name, _) :: rest, i) = (Bench.figure (name, of' i); each (rest, i + 1))
    in
      each (kinds, 0);
      Bench.figure ("per-spawn", 100.0 * of' 2 / of' 0)
    end

  val () = Bench.run main
end
