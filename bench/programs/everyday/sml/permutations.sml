(* All permutations of n numbers, as lists; how many have no number in its own place, and a sum over all. *)

fun insertions (x, []) = [[x]]
  | insertions (x, y :: rest) = (x :: y :: rest) :: map (fn l => y :: l) (insertions (x, rest))

fun permutations [] = [[]]
  | permutations (x :: rest) = List.concat (map (fn l => insertions (x, l)) (permutations rest))

fun isMoved (_, []) = true
  | isMoved (i, x :: rest) = x <> i andalso isMoved (i + 1, rest)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val all = permutations (List.tabulate (n, fn i => i))
val moved = length (List.filter (fn l => isMoved (0, l)) all)
val sum = foldl (fn (l, s) => (s * 31 + hd l * 7 + List.last l) mod 1000003) 0 all
val () =
  print (concat [Int.toString (length all),
                 " permutations, ",
                 Int.toString moved,
                 " move all, sum ",
                 Int.toString sum,
                 "\n"])
