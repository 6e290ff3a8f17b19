(* Small trees, and a table of them, random ones of which are replaced. *)

datatype tree = Leaf | Node of tree * int * tree

fun tree (0, _) = Leaf
  | tree (depth, n) = Node (tree (depth - 1, 2 * n), n, tree (depth - 1, 2 * n + 1))

fun sum Leaf = 0
  | sum (Node (left, n, right)) = sum left + n + sum right

(* 15 nodes of 32 bytes, and an element *)
val entryBytes = 15 * 32 + 8

(* Sums up a random tree of the table and replaces it, again and again until `finish`, and notes the time between two
   steps: the number of steps, and their sums together. *)
fun replace (table, gaps, finish, seed) =
  let
    val entries = Array.length table
    fun loop (last, random, steps, check) =
      if last >= finish then (steps, check)
      else
        let
          val random = random * 16807 mod 2147483647
          val at = random mod entries
          val check = check + sum (Array.sub (table, at))
          val () = Array.update (table, at, tree (4, random mod 1000))
          val time = now ()
        in
          note gaps (time - last);
          loop (time, random, steps + 1, check)
        end
  in
    loop (now (), seed, 0, 0)
  end
