(* The edit distance of two long texts, by rows; and the best load of a knapsack. *)

fun next x = x * 16807 mod 2147483647

fun text (n, seed) =
  let
    val x = ref seed
  in
    CharVector.tabulate (n, fn _ => (x := next (!x); chr (97 + !x mod 5)))
  end

fun distance (a, b) =
  let
    val n = size b
    fun row (i, above) =
      if i = size a then Array.sub (above, n)
      else
        let
          val here = Array.array (n + 1, i + 1)
          fun cell j =
            if j = n then ()
            else
              let
                val change =
                  Array.sub (above, j) + (if String.sub (a, i) = String.sub (b, j) then 0 else 1)
                val other = Int.min (Array.sub (above, j + 1), Array.sub (here, j)) + 1
              in
                Array.update (here, j + 1, Int.min (change, other));
                cell (j + 1)
              end
        in
          cell 0;
          row (i + 1, here)
        end
  in
    row (0, Array.tabulate (n + 1, fn j => j))
  end

fun load (items, room) =
  let
    val best = Array.array (room + 1, 0)
    fun add (weight, value) =
      let
        fun loop w =
          if w < weight then ()
          else
            (Array.update
               (best, w, Int.max (Array.sub (best, w), Array.sub (best, w - weight) + value));
             loop (w - 1))
      in
        loop room
      end
  in
    app add items;
    Array.sub (best, room)
  end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val items = List.tabulate (200, fn i => (1 + i * 37 mod 91, 10 + i * 53 mod 97))
val () = print (concat ["distance ", Int.toString (distance (text (n, 1), text (n, 2))), "\n"])
val () = print (concat ["load worth ", Int.toString (load (items, n * 10)), "\n"])
