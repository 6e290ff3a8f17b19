(* The cheapest way over a grid of costs, by Dijkstra's algorithm with the library's priority queue. *)

structure Queue =
  LeftPriorityQFn (struct
    type priority = int
    (* The least cost is the first. *)
    fun compare (a, b) = Int.compare (b, a)
    type item = int * int
    fun priority (cost, _) = cost
  end)

fun next x = x * 16807 mod 2147483647

fun costs n =
  let
    val x = ref 1
  in
    Array.tabulate (n * n, fn _ => (x := next (!x); 1 + !x mod 9))
  end

fun shortest (n, costs) =
  let
    val best = Array.array (n * n, valOf Int.maxInt)
    fun reach (place, cost, queue) =
      if cost < Array.sub (best, place) then
        (Array.update (best, place, cost); Queue.insert ((cost, place), queue))
      else queue
    fun neighbours place =
      let
        val (row, column) = (place div n, place mod n)
      in
        List.mapPartial (fn (isThere, p) => if isThere then SOME p else NONE) [(row > 0, place - n),
                                                                               (row < n - 1,
                                                                                place + n),
                                                                               (column > 0,
                                                                                place - 1),
                                                                               (column < n - 1,
                                                                                place + 1)]
      end
    fun loop queue =
      case Queue.next queue of
        NONE => ()
      | SOME ((cost, place), queue) =>
          if cost > Array.sub (best, place) then loop queue
          else
            loop (foldl
                    (fn (p, q) => reach (p, cost + Array.sub (costs, p), q))
                    queue
                    (neighbours place))
  in
    loop (reach (0, 0, Queue.empty));
    best
  end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val best = shortest (n, costs n)
val () =
  print (concat ["the other corner costs ",
                 Int.toString (Array.sub (best, n * n - 1)),
                 ", the farthest place ",
                 Int.toString (Array.foldl Int.max 0 best),
                 "\n"])
