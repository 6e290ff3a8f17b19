(* Binary trees of many depths, made and counted; one lives all the time. *)

datatype tree = Leaf | Node of tree * tree

fun make 0 = Node (Leaf, Leaf)
  | make d = Node (make (d - 1), make (d - 1))

fun count Leaf = 0
  | count (Node (l, r)) = 1 + count l + count r

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val long = make n

fun row d =
  if d > n then ()
  else
    let
      val times = Word.toInt (Word.<< (0w1, Word.fromInt (n - d + 4)))
      fun loop (0, sum) = sum
        | loop (i, sum) = loop (i - 1, sum + count (make d))
    in
      print (concat [Int.toString times,
                     " trees of depth ",
                     Int.toString d,
                     ": ",
                     Int.toString (loop (times, 0)),
                     "\n"]);
      row (d + 4)
    end

val () = row 4
val () = print (concat ["the long-lived tree: ", Int.toString (count long), "\n"])
