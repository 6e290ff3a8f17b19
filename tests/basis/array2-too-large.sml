(* The Basis: Array2's functions raise Size when the array would be too large. tabulate called the function once before,
   where the number of elements was an int, but more than an array has. *)
fun try f = print ((f (); "made") handle Size => "Size\n")
fun called n = (print "called "; n)
val many = Array.maxLen
fun all (rows, cols) =
  (try (fn () => ignore (Array2.tabulate Array2.RowMajor (rows, cols, called o op +)));
   try (fn () => ignore (Array2.tabulate Array2.ColMajor (rows, cols, called o op +)));
   try (fn () => ignore (Array2.array (rows, cols, 0)));
   try (fn () => ignore (CharArray2.tabulate CharArray2.RowMajor (rows, cols, fn _ => (print "called "; #"x")))))
val () = app all [(1000000000, 1000000000), (many, 2), (1, many + 1), (valOf Int.maxInt, valOf Int.maxInt), (~1, 0), (0, ~1)]
