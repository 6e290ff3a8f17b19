(* How many ways n queens stand on a board, by lists. *)

fun isSafe (_, _, []) = true
  | isSafe (q, d, q' :: rest) =
      q <> q' andalso q <> q' + d andalso q <> q' - d andalso isSafe (q, d + 1, rest)

fun count (n, row, placed) =
  if row = n then 1
  else
    let
      fun each q =
        if q > n then 0
        else (if isSafe (q, 1, placed) then count (n, row + 1, q :: placed) else 0) + each (q + 1)
    in
      each 1
    end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val () = print (Int.toString (count (n, 0, [])) ^ "\n")
