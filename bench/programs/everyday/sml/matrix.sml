(* A product of matrices by `Array2`. *)

fun product (a, b, n) =
  let
    fun cell (i, j) =
      let
        fun sum (k, s) =
          if k = n then s else sum (k + 1, s + Array2.sub (a, i, k) * Array2.sub (b, k, j))
      in
        sum (0, 0.0)
      end
  in
    Array2.tabulate Array2.RowMajor (n, n, cell)
  end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val a = Array2.tabulate Array2.RowMajor (n, n, fn (i, j) => real ((i * 7 + j * 3) mod 11))
val b = Array2.tabulate Array2.RowMajor (n, n, fn (i, j) => real ((i * 5 + j * 2) mod 13))
val c = product (a, b, n)
val trace = foldl (fn (i, s) => s + Array2.sub (c, i, i)) 0.0 (List.tabulate (n, fn i => i))
val total = Array2.fold Array2.RowMajor op + 0.0 c
val show = Real.fmt (StringCvt.FIX (SOME 0))
val () = print (show trace ^ " " ^ show total ^ "\n")
