(* The List structure. *)
fun show l = print (String.concatWith "," (map Int.toString l) ^ "\n")
val l = [3, 1, 2]
val () = show (rev l)
val () = show (l @ [4, 5])
val () = show (List.concat [[1], [], [2, 3]])
val () = show (List.filter (fn x => x > 1) l)
val () = show (#1 (List.partition (fn x => x > 1) l))
val () = show (List.take (l, 2))
val () = show (List.drop (l, 2))
val () = show (List.tabulate (5, fn i => i * i))
val () = show (ListPair.map op+ (l, [10, 20]))
val () = show (map (fn (a, b) => a * b) (ListPair.zip (l, [1, 2, 3])))
val () = print (Int.toString (foldl op- 0 l) ^ Int.toString (foldr op- 0 l) ^ "\n")
val () = print (Int.toString (List.nth (l, 1)) ^ Int.toString (List.last l) ^ Int.toString (length l) ^ "\n")
val () = (show (List.take (l, 4))) handle Subscript => print "subscript\n"
val () = print (case List.find (fn x => x < 2) l of SOME x => Int.toString x | NONE => "none")
val () = print (case List.collate Int.compare ([1, 2], [1, 3]) of LESS => "<" | EQUAL => "=" | GREATER => ">")
val () = print "\n"
fun qsort [] = []
  | qsort (p :: xs) =
      let val (less, more) = List.partition (fn x => x < p) xs
      in qsort less @ [p] @ qsort more end
val () = show (qsort [5, 3, 8, 1, 9, 2, 7])
