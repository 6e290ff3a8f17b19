(* C3: a program that allocates much, of which next to nothing survives, and programs of which much survives. Prints for
   the first the time of an allocated KB, the collector's share of the time in per cent, the number of collections and
   the microseconds of each; for the others the share, and the collector's nanoseconds for each surviving byte: of those
   that minor collections moved, and of those that major ones marked.
   The nursery and the heap are swept from outside, by LEAT_RUN. *)

structure GC = Leat.GC

fun figure (name, x) = print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 2)) x ^ "\n")

type counts = {time : int, minor : int, major : int, collections : int, majors : int,
               allocated : int, promoted : int, marked : int}

fun measure f : counts =
  let
    fun counters () =
      (GC.minorNanoseconds (), GC.majorNanoseconds (), GC.minorCollections (), GC.majorCollections (),
       GC.allocatedBytes (), GC.promotedBytes (), GC.markedBytes ())
    val (a, b, c, m, d, e, g) = counters ()
    val timer = Timer.startRealTimer ()
    val () = f ()
    val time = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer timer))
    val (a', b', c', m', d', e', g') = counters ()
  in
    {time = time, minor = a' - a, major = b' - b, collections = c' - c, majors = m' - m,
     allocated = d' - d, promoted = e' - e, marked = g' - g}
  end

(* the quickest of three *)
fun best f =
  List.foldl (fn (a : counts, b : counts) => if #time a < #time b then a else b) (measure f)
    [measure f, measure f]

fun ratio (a, b) = if b = 0 then 0.0 else real a / real b
fun share (c : counts) = 100.0 * ratio (#minor c + #major c, #time c)

(* lists of a hundred that die at once *)
fun allocate 0 = ()
  | allocate k =
      if List.foldl op + 0 (List.tabulate (100, fn i => i)) = 4950 then allocate (k - 1) else raise Fail "a list is wrong"

(* the newest of so many lists, so that what is young survives and what is old dies *)
fun keep (slots, length, rounds) () =
  let
    val kept = Array.array (slots, [] : int list)
    fun go k =
      if k = rounds * slots then ()
      else (Array.update (kept, k mod slots, List.tabulate (length, fn i => i + k)); go (k + 1))
  in
    go 0;
    if Array.foldl (fn (list, sum) => sum + List.length list) 0 kept = slots * length then ()
    else raise Fail "a list was lost"
  end

(* likewise trees, whose nodes are not followed along one field *)
datatype tree = Leaf | Node of tree * int * tree

fun full 0 = Leaf
  | full depth = Node (full (depth - 1), depth, full (depth - 1))

fun size Leaf = 0
  | size (Node (a, _, b)) = 1 + size a + size b

fun keepTrees (slots, depth, rounds) () =
  let
    val kept = Array.array (slots, Leaf)
    fun go k =
      if k = rounds * slots then () else (Array.update (kept, k mod slots, full depth); go (k + 1))
  in
    go 0;
    if size (Array.sub (kept, 0)) = Word.toInt (Word.<< (0w1, Word.fromInt depth)) - 1 then ()
    else raise Fail "a node was lost"
  end

val () =
  let val c = best (fn () => allocate 200000)
  in
    figure ("allocating-ns-per-KB", 1024.0 * ratio (#time c, #allocated c));
    figure ("allocating-share", share c);
    figure ("allocating-collections", real (#collections c));
    figure ("allocating-us-each", ratio (#minor c, #collections c) / 1E3)
  end

fun collecting (name, f) =
  let val c = best f
  in
    figure (name ^ "-share", share c);
    figure (name ^ "-moved-ns-per-byte", ratio (#minor c, #promoted c));
    figure (name ^ "-marked-ns-per-byte", ratio (#major c, #marked c));
    figure (name ^ "-ns-per-byte", ratio (#minor c + #major c, #promoted c + #marked c))
  end

(* 24 MB of lists, 32 MB of trees *)
val () = collecting ("lists", keep (1000, 1000, 10))
val () = collecting ("trees", keepTrees (64, 14, 10))
