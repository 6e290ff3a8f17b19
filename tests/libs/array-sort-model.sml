(* The sorts of arrays went through a list: 3 million ints took 265 MB where 37 are enough. They sort in place now; here
   beside a simple insertion into a list, which is stable: random arrays, and such with runs up and down. *)

type item = int * int (* the key, and where it stood *)
fun compare ((a, _) : item, (b, _) : item) = Int.compare (a, b)

fun insert (x, []) = [x]
  | insert (x, l as y :: rest) = if compare (x, y) = LESS then x :: l else y :: insert (x, rest)
fun model l = foldl insert [] l

val seed = ref 0w1
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.mod (Word.>> (!seed, 0w33), Word.fromInt n)))

(* n keys in pieces that ascend, descend, are equal or random *)
fun keys n =
  let
    val range = 1 + random (2 * n + 1)
    fun go (k, acc) =
      if k <= 0 then acc
      else
        let
          val len = Int.min (k, 1 + random (1 + random n))
          val from = random range
          val f =
            case random 4 of
              0 => (fn i => from + i)
            | 1 => (fn i => from - i)
            | 2 => (fn _ => from)
            | _ => (fn _ => random range)
        in
          go (k - len, List.tabulate (len, f) @ acc)
        end
    val (l, _) = foldl (fn (k, (l, i)) => ((k, i) :: l, i + 1)) ([], 0) (go (n, []))
  in
    rev l
  end

structure IntSort = ArrayMergeSortFn (IntArray)

fun round i =
  let
    val l = keys (i mod 150)
    val a = Array.fromList l
    val b = IntArray.fromList (map #1 l)
    val m = model l
  in
    ArrayMergeSort.sort compare a;
    IntSort.sort Int.compare b;
    if Array.foldr op :: [] a = m andalso ArrayMergeSort.sorted compare a then ()
    else print ("wrong: round " ^ Int.toString i ^ "\n");
    if IntArray.foldr op :: [] b = map #1 m andalso IntSort.sorted Int.compare b then ()
    else print ("wrong: ints of round " ^ Int.toString i ^ "\n")
  end

fun loop i = if i = 600 then () else (round i; loop (i + 1))
val () = loop 0
val () = print "done\n"
