(* Lists and trees: allocation, pattern matching, functions of the Basis. *)

fun split (x :: y :: rest) =
      let
        val (xs, ys) = split rest
      in
        (x :: xs, y :: ys)
      end
  | split rest = (rest, [])

fun merge ([], ys) = ys
  | merge (xs, []) = xs
  | merge (x :: xs, y :: ys) = if x <= y then x :: merge (xs, y :: ys) else y :: merge (x :: xs, ys)

fun sort (xs as _ :: _ :: _) =
      let
        val (ys, zs) = split xs
      in
        merge (sort ys, sort zs)
      end
  | sort xs = xs

datatype tree = Leaf | Node of tree * int * tree

fun insert (x, Leaf) = Node (Leaf, x, Leaf)
  | insert (x, tree as Node (left, y, right)) =
      (case Int.compare (x, y) of
         LESS => Node (insert (x, left), y, right)
       | GREATER => Node (left, y, insert (x, right))
       | EQUAL => tree)

fun depth Leaf = 0
  | depth (Node (left, _, right)) = 1 + Int.max (depth left, depth right)

val numbers = List.tabulate (5000, fn i => i * 7919 mod 10007)
val sorted = sort numbers
val () = print (Int.toString (List.nth (sorted, 2500)) ^ "\n")
val () = print (Int.toString (depth (foldl insert Leaf numbers)) ^ "\n")
val () =
  print (Int.toString
           (foldl op + 0 (map (fn x => x * 2) (List.filter (fn x => x mod 3 = 0) sorted)))
         ^ "\n")
