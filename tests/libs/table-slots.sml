(* Tables were arrays of chains: a look-up went to a bucket, to a cell of its chain, and to the next cell, each of them a miss
   of the cache. They are open-addressed now, hashes beside keys and values. What can go wrong with that: a removed item cuts
   others off that were put in behind it; slots of removed items fill the table; rows of successive numbers become one run of
   slots that each look-up walks through; what was removed, and what a larger table has left behind, is kept alive. *)

structure Strings =
  HashTableFn (struct
    type hash_key = string
    (* Few hashes: items meet. *)
    fun hashVal s = Word.andb (HashString.hashString s, 0w63)
    val sameKey = op = : string * string -> bool
  end)
structure Ints = IntHashTable

exception Missing
fun check (name, ok) = print (name ^ (if ok then ": ok\n" else ": WRONG\n"))

val seed = ref 0w4711
fun random n = (seed := Rand.random (!seed); Rand.range (0, n - 1) (!seed))

(* -- items come and go all the time, against a list; the hint is too small, right, and too large *)

fun churn (hint, live, steps) =
  let
    val t : int Strings.hash_table = Strings.mkTable (hint, Missing)
    fun without (k, l) = List.filter (fn (k', _) => k <> k') l
    fun value (k, l) = Option.map #2 (List.find (fn (k', _) => k = k') l)
    fun step (0, l, ok) = (l, ok)
      | step (n, l, ok) =
          let
            val k = "key" ^ Int.toString (random (2 * live))
            val ok = ok andalso Strings.find t k = value (k, l) andalso Strings.inDomain t k = isSome (value (k, l))
          in
            case random 4 of
              0 => (Strings.insert t (k, n); step (n - 1, (k, n) :: without (k, l), ok))
            | 1 =>
                (Strings.insertWith op + t (k, n);
                 step (n - 1, (k, n + getOpt (value (k, l), 0)) :: without (k, l), ok))
            | _ =>
                let val ok = ok andalso Strings.findAndRemove t k = value (k, l)
                in step (n - 1, without (k, l), ok andalso Strings.numItems t = length (without (k, l))) end
          end
    val (l, ok) = step (steps, [], true)
    val sort = ListMergeSort.sort (fn ((a, _), (b, _)) => String.> (a, b))
  in
    check (concat ["churn ", Int.toString hint, " ", Int.toString live],
           ok andalso sort (Strings.listItemsi t) = sort l
           andalso sort (Strings.listItemsi (Strings.copy t)) = sort l
           andalso sort (Strings.listItemsi (Strings.map (fn v => v + 1) t)) = map (fn (k, v) => (k, v + 1)) (sort l))
  end

val () = (churn (1, 20, 3000); churn (100, 100, 3000); churn (1000, 300, 3000))

(* -- a queue: the oldest of a hundred goes for each new one, so each slot is used again and again *)

val () =
  let
    val t : int Ints.hash_table = Ints.mkTable (4, Missing)
    val () = List.app (fn i => Ints.insert t (i, i)) (List.tabulate (100, fn i => i))
    fun go i = if i = 30000 then () else (Ints.insert t (i, i); ignore (Ints.remove t (i - 100)); go (i + 1))
  in
    go 100;
    check ("queue", Ints.numItems t = 100 andalso List.all (fn i => Ints.lookup t (29900 + i) = 29900 + i) (List.tabulate (100, fn i => i))
                    andalso not (Ints.inDomain t 29899));
    check ("few buckets", length (Ints.bucketSizes t) = 128)
  end

(* -- three rows of successive numbers crowd the lower third of the buckets: such a table mixes its hashes *)

val () =
  let
    val t : int Ints.hash_table = Ints.mkTable (4, Missing)
    fun key i = i div 3 + i mod 3 * 0x100000000
    val n = 60000
    fun fill i = if i = n then () else (Ints.insert t (key i, i); fill (i + 1))
    fun found i = i = n orelse Ints.find t (key i) = SOME i andalso found (i + 1)
  in
    fill 0;
    check ("rows", found 0 andalso Ints.numItems t = n);
    check ("mixed", List.exists (fn n => n <> 0 andalso n <> 3) (Ints.bucketSizes t))
  end
(* One row, a row of even numbers, and one of negative ones: not mixed. *)
val () =
  List.app
    (fn (step, most) =>
      let
        val t : unit Ints.hash_table = Ints.mkTable (4, Missing)
      in
        List.app (fn i => Ints.insert t (step * i, ())) (List.tabulate (2000, fn i => i));
        check ("steps of " ^ Int.toString step, foldl Int.max 0 (Ints.bucketSizes t) = most)
      end)
    [(1, 1), (2, 2), (~1, 1)]

(* -- what was removed, replaced or cleared is not kept alive, and nothing else is lost *)

val () =
  let
    val t : int ref Strings.hash_table = Strings.mkTable (8, Missing)
    fun key i = "key" ^ Int.toString i
    fun put i = let val r = ref i in Strings.insert t (key i, r); SMLofNJ.Weak.weak r end
    val weak = List.tabulate (200, fn i => (i, put i))
    fun alive () =
      (SMLofNJ.Internals.GC.doGC 10;
       List.mapPartial (fn (i, w) => Option.map (fn _ => i) (SMLofNJ.Weak.strong w)) weak)
  in
    check ("all live", length (alive ()) = 200);
    List.app (fn (i, _) => if i mod 3 = 0 then ignore (Strings.remove t (key i)) else ()) weak;
    check ("removed", List.all (fn i => i mod 3 <> 0) (alive ()) andalso length (alive ()) = 133);
    List.app (fn (i, _) => if i mod 3 = 1 then Strings.insert t (key i, ref 0) else ()) weak;
    check ("replaced", List.all (fn i => i mod 3 = 2) (alive ()) andalso length (alive ()) = 66);
    Strings.filteri (fn (_, r) => !r mod 2 = 0) t;
    check ("filtered", List.all (fn i => i mod 6 = 2) (alive ()) andalso length (alive ()) = 33);
    Strings.clear t;
    check ("cleared", null (alive ()) andalso Strings.numItems t = 0);
    Strings.insert t ("again", ref 1);
    check ("used again", !(Strings.lookup t "again") = 1)
  end

(* -- values of each size of element, and none *)

fun values (name, values) =
  let
    val t = Strings.mkTable (2, Missing)
    val keyed = ListPair.zip (List.tabulate (length values, Int.toString), values)
  in
    List.app (Strings.insert t) keyed;
    List.app (fn (k, _) => if String.size k = 2 then ignore (Strings.remove t k) else ()) keyed;
    check (name, List.all (fn (k, v) => (case Strings.find t k of SOME w => w = v | NONE => String.size k = 2)) keyed)
  end
val () = values ("bools", List.tabulate (30, fn i => i mod 2 = 0))
val () = values ("chars", List.tabulate (30, Char.chr))
val () = values ("lists", List.tabulate (30, fn i => List.tabulate (i mod 3, fn j => j)))
val () = values ("options", List.tabulate (30, fn i => if i mod 2 = 0 then NONE else SOME (Int.toString i)))
val () = values ("pairs", List.tabulate (30, fn i => (i, Int.toString i)))
val () = values ("units", List.tabulate (30, fn _ => ()))
val () =
  let
    val t : real Strings.hash_table = Strings.mkTable (2, Missing)
    val () = List.app (fn i => Strings.insert t (Int.toString i, real i / 4.0)) (List.tabulate (30, fn i => i))
  in
    check ("reals", List.all (fn i => Real.== (Strings.lookup t (Int.toString i), real i / 4.0)) (List.tabulate (30, fn i => i)))
  end

(* -- a function that takes its own key out *)

val () =
  let
    val t : int Ints.hash_table = Ints.mkTable (2, Missing)
  in
    List.app (fn i => Ints.insert t (i, i)) [1, 33, 65];
    Ints.insertWith (fn (a, b) => (ignore (Ints.remove t 33); a + b)) t (33, 5);
    check ("taken out meanwhile", Ints.find t 33 = NONE andalso Ints.numItems t = 2);
    Ints.insertWith (fn (a, b) => (Ints.clear t; a + b)) t (1, 5);
    check ("cleared meanwhile", Ints.numItems t = 0 andalso null (Ints.listItems t))
  end
