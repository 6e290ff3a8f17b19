(* The game of life on a torus, by a two-dimensional array. *)

fun step (old, n) =
  let
    fun at (i, j) = Array2.sub (old, (i + n) mod n, (j + n) mod n)
    fun cell (i, j) =
      let
        val around =
          at (i - 1, j - 1)
          + at (i - 1, j)
          + at (i - 1, j + 1)
          + at (i, j - 1)
          + at (i, j + 1)
          + at (i + 1, j - 1)
          + at (i + 1, j)
          + at (i + 1, j + 1)
      in
        if around = 3 orelse around = 2 andalso at (i, j) = 1 then 1 else 0
      end
  in
    Array2.tabulate Array2.RowMajor (n, n, cell)
  end

fun repeat (0, board, _) = board
  | repeat (k, board, n) = repeat (k - 1, step (board, n), n)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val x = ref 1
val board =
  Array2.tabulate
    Array2.RowMajor
    (n, n, fn _ => (x := !x * 16807 mod 2147483647; if !x mod 3 = 0 then 1 else 0))
val last = repeat (100, board, n)
val () = print (Int.toString (Array2.fold Array2.RowMajor op + 0 last) ^ " cells live\n")
