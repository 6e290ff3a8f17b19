(* Functions of the library that take the program's: its code is inlined in theirs, and theirs in its. *)
datatype tree = Leaf | Node of tree * int * tree

fun insert (Leaf, x) = Node (Leaf, x, Leaf)
  | insert (t as Node (l, y, r), x) =
      case Int.compare (x, y) of
        LESS => Node (insert (l, x), y, r)
      | GREATER => Node (l, y, insert (r, x))
      | EQUAL => t

fun sum Leaf = 0
  | sum (Node (l, x, r)) = sum l + x + sum r

fun next seed = (seed * 1103515245 + 12345) mod 2147483648

fun numbers (0, _) = []
  | numbers (n, seed) = seed :: numbers (n - 1, next seed)

val scale = case CommandLine.arguments () of [n] => valOf (Int.fromString n) | _ => 6000

val tree = List.foldl (fn (x, t) => insert (t, x mod 100000)) Leaf (numbers (scale, 42))
val squares = List.map (fn x => x * x mod 1000) (List.filter (fn x => x mod 3 = 0) (numbers (scale, 7)))
val text = String.concatWith "," (List.map Int.toString squares)

val () = print (Int.toString (sum tree) ^ " " ^ Int.toString (size text) ^ "\n")
