(* Huffman's code of a file: the frequencies, the tree, the bits, and back. *)

datatype tree = Leaf of int * char | Node of int * tree * tree

fun weight (Leaf (w, _)) = w
  | weight (Node (w, _, _)) = w

structure Queue =
  LeftPriorityQFn (struct
    type priority = int
    fun compare (a, b) = Int.compare (b, a)
    type item = tree
    val priority = weight
  end)

fun build queue =
  let
    val (a, queue) = Queue.remove queue
  in
    case Queue.next queue of
      NONE => a
    | SOME (b, queue) => build (Queue.insert (Node (weight a + weight b, a, b), queue))
  end

fun codes tree =
  let
    val table = Array.array (256, "")
    fun fill (Leaf (_, c), bits) = Array.update (table, ord c, implode (rev bits))
      | fill (Node (_, l, r), bits) = (fill (l, #"0" :: bits); fill (r, #"1" :: bits))
  in
    fill (tree, []);
    table
  end

fun decode (tree, bits) =
  let
    fun loop (i, Leaf (_, c), out) =
          if i = size bits then rev (c :: out) else loop (i, tree, c :: out)
      | loop (i, Node (_, l, r), out) =
          loop (i + 1, if String.sub (bits, i) = #"0" then l else r, out)
  in
    implode (loop (0, tree, []))
  end

val input = TextIO.openIn (hd (CommandLine.arguments ()))
val text = TextIO.inputAll input
val counts = Array.array (256, 0)
val () = CharVector.app (fn c => Array.update (counts, ord c, Array.sub (counts, ord c) + 1)) text
val leaves =
  Array.foldli
    (fn (i, n, q) => if n = 0 then q else Queue.insert (Leaf (n, chr i), q))
    Queue.empty
    counts
val tree = build leaves
val table = codes tree
val bits = String.translate (fn c => Array.sub (table, ord c)) text
val isSame = decode (tree, bits) = text
val () =
  print (concat [Int.toString (size text),
                 " characters, ",
                 Int.toString (size bits),
                 " bits, back ",
                 Bool.toString isSame,
                 "\n"])
