(* ListMergeSort against insertion, on lists made of runs of every shape. A million lines took twice the time of other
   languages' sorts: each pass of merges went over all of them, and each merge made its result twice. Now runs are merged
   as soon as there are two of a size, and a merge makes what comes out, from either end.

   So directions meet in every way, and equal items must keep their order; comparisons are counted. *)

val seed = ref 0w99
fun random n = (seed := Rand.random (!seed); Rand.range (0, n - 1) (!seed))
fun check (name, ok) = if ok then () else (print ("wrong: " ^ name ^ "\n"); raise Fail name)
fun repeat (0, _) = ()
  | repeat (n, f) = (f (); repeat (n - 1, f))

(* an item is a key and its place in the list; the order does not look at the place *)
fun place l = ListPair.zip (l, List.tabulate (length l, fn i => i))
fun insert (x : int * int, []) = [x]
  | insert (x, l as y :: rest) = if #1 x < #1 y then x :: l else y :: insert (x, rest)
fun model l = foldl insert [] l

val compared = ref 0
fun greater ((a, i), (b, j)) = (compared := !compared + 1; check ("asked in order", i < j); a > b : bool)
fun byKey ((a, i), (b, j)) = (compared := !compared + 1; Int.compare (a, b))

fun unique [] = []
  | unique (x :: rest) =
      let fun skip (y :: rest) = if #1 x = #1 (y : int * int) then skip rest else y :: rest
            | skip [] = []
      in x :: unique (skip rest) end

fun test (name, keys) =
  let
    val l = place keys
    val m = model l
    val sorted = ListMergeSort.sort greater l
    val once = ListMergeSort.uniqueSort byKey l
  in
    check (name ^ ": sort", sorted = m);
    check (name ^ ": sorted", ListMergeSort.sorted (fn ((a, _), (b, _)) => a > b) m);
    check (name ^ ": uniqueSort", map #1 once = map #1 (unique m));
    check (name ^ ": of the list", List.all (fn x => List.exists (fn y => x = y) l) once)
  end

(* -- random lists, of few and of many keys; of runs up and down, of lengths that differ much *)

fun keys (n, range) = List.tabulate (n, fn _ => random range)
fun run (n, range) =
  let
    val from = random range
    val step = random 3
  in
    case random 3 of
      0 => List.tabulate (n, fn i => from + step * i)
    | 1 => List.tabulate (n, fn i => from - step * i)
    | _ => keys (n, range)
  end
fun runs k = List.concat (List.tabulate (k, fn _ => run (case random 4 of 0 => random 3 | 1 => random 60 | _ => 1 + random 9, 50)))

val () = List.app (fn n => repeat (6, fn () => (test ("few", keys (n, 4)); test ("many", keys (n, 1000)))))
  (List.tabulate (20, fn n => n) @ [31, 32, 33, 64, 100])
val () = repeat (400, fn () => test ("runs", runs (random 14)))
(* every list of up to seven items out of three *)
fun every 0 = [[]]
  | every n = List.concat (map (fn l => [0 :: l, 1 :: l, 2 :: l]) (every (n - 1)))
val () = List.app (fn n => List.app (fn l => test ("every", l)) (every n)) [0, 1, 2, 3, 4, 5, 6, 7]
val () = print "as by insertion, in a stable order\n"

(* -- comparisons: n - 1 of one run; else n (H + 3.5) at most, H being the entropy of the lengths *)

fun count l = (compared := 0; ignore (ListMergeSort.sort greater (place l)); !compared)
val n = 20000
val () = check ("ascending", count (List.tabulate (n, fn i => i)) = n - 1)
val () = check ("descending", count (List.tabulate (n, fn i => ~i)) = n - 1)
val () = check ("all the same", count (List.tabulate (n, fn _ => 7)) = n - 1)

(* ascending runs of these lengths, with keys that meet *)
fun within (name, lengths) =
  let
    val all = real (foldl op + 0 lengths)
    fun part k = if k = 0 then 0.0 else real k / all * Math.ln (all / real k) / Math.ln 2.0
    val entropy = foldl (fn (k, h) => h + part k) 0.0 lengths
    fun ascends k =
      let val jump = Real.floor (all / real k) + 1
      in List.tabulate (k, fn i => i * jump + random jump) end
    val c = count (List.concat (map ascends lengths))
  in
    check (name ^ ": " ^ Int.toString c, real c <= all * (entropy + 3.5))
  end
val () =
  (within ("twos", List.tabulate (10000, fn _ => 2));
   within ("one long, then short ones", 20000 :: List.tabulate (200, fn _ => 3));
   within ("short ones, then a long one", List.tabulate (200, fn _ => 3) @ [20000]);
   within ("falling powers", [8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 20000]);
   within ("rising powers", [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]);
   within ("long and short in turns", List.concat (List.tabulate (40, fn _ => [500, 2])));
   within ("sawtooth", List.tabulate (100, fn i => 2 + (i * i) mod 97 * 5));
   repeat (6, fn () => within ("any", List.tabulate (1 + random 60, fn _ => 2 + random (if random 3 = 0 then 2000 else 20)))))
val () = print "no more comparisons than needed\n"

(* -- a function that raises is heard, and the list is as it was *)
exception Stop
val () =
  let
    val l = keys (300, 100)
    val left = ref 500
  in
    check ("raises",
      (ignore (ListMergeSort.sort (fn (a, b) => (left := !left - 1; if !left = 0 then raise Stop else a > b)) l); false)
      handle Stop => true)
  end
(* long lists need no stack *)
val () = check ("long", ListMergeSort.sorted op > (ListMergeSort.sort op > (keys (30000, 100000))))
val () = print "raises, is long\n"
