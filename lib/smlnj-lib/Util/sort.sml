(* Sorting and searching: ListMergeSort, ArrayQSort, ArrayQSortFn, ArrayMergeSort, ArrayMergeSortFn, BSearchFn.

   Lists: merges of the runs that are there, so sorted and reversed lists take linear time; stable.
   Arrays: the runs of the array are merged likewise through an array of half the size. Quicksort's name is kept for the
   sake of programs; merging is stable besides and has no bad case. *)

signature LIST_SORT =
sig
  val sort : ('a * 'a -> bool) -> 'a list -> 'a list
  (* sort greater l, in ascending order; stable. *)
  val uniqueSort : ('a * 'a -> order) -> 'a list -> 'a list
  (* Of items that are EQUAL, one stays. *)
  val sorted : ('a * 'a -> bool) -> 'a list -> bool
  (* Whether no item is greater than the one behind it. *)
end

signature ARRAY_SORT =
sig
  val sort : ('a * 'a -> order) -> 'a array -> unit
  (* In place, ascending. *)
  val sorted : ('a * 'a -> order) -> 'a array -> bool
  (* Whether no item is greater than the one behind it. *)
end

signature MONO_ARRAY_SORT =
sig
  structure A : MONO_ARRAY
  val sort : (A.elem * A.elem -> order) -> A.array -> unit
  (* Sorts in place, in ascending order. *)
  val sorted : (A.elem * A.elem -> order) -> A.array -> bool
  (* Whether no item is greater than the one behind it. *)
end

structure ListMergeSort : LIST_SORT =
struct
  (* Items that are sorted: from the least, or from the last. What is made item by item comes out the other way round, so
     both are welcome. *)
  type 'a run = {items : 'a list, length : int, up : bool}

  (* The functions below are given `keep`, which says of an item and one that stood behind it in the list whether it is
     GREATER or LESS (or equal); EQUAL: the second one is dropped. *)

  fun up keep =
    let
      fun merge ([], ys, acc) = List.revAppend (ys, acc)
        | merge (xs, [], acc) = List.revAppend (xs, acc)
        | merge (xs as x :: xr, ys as y :: yr, acc) =
            (case keep (x, y) of
               GREATER => merge (xs, yr, y :: acc)
             | LESS => merge (xr, ys, x :: acc)
             | EQUAL => merge (xr, yr, x :: acc))
    in
      merge
    end

  fun down keep =
    let
      fun merge ([], ys, acc) = List.revAppend (ys, acc)
        | merge (xs, [], acc) = List.revAppend (xs, acc)
        | merge (xs as x :: xr, ys as y :: yr, acc) =
            (case keep (x, y) of
               GREATER => merge (xr, ys, x :: acc)
             | LESS => merge (xs, yr, y :: acc)
             | EQUAL => merge (xr, yr, x :: acc))
    in
      merge
    end

  (* Two runs as one, the first of which stood before the second. *)
  fun joined (keep : 'a * 'a -> order) =
    let
      val (up, down) = (up keep, down keep)
      fun turned {items, length, up} = {items = rev items, length = length, up = not up}
      fun join (a : 'a run, b : 'a run) : 'a run =
        if #up a <> #up b then
          if #length a < #length b then join (turned a, b) else join (a, turned b)
        else
          {items = (if #up a then up else down) (#items a, #items b, []),
           length = #length a + #length b,
           up = not (#up a)}
    in
      join
    end

  (* The run that a list begins with, ascending or strictly descending, and the rest. *)
  fun first keep =
    let
      fun ascending (last, run, n, l as x :: rest) =
            (case keep (last, x) of
               GREATER => ({items = run, length = n, up = false}, l)
             | LESS => ascending (x, x :: run, n + 1, rest)
             | EQUAL => ascending (last, run, n, rest))
        | ascending (_, run, n, []) = ({items = run, length = n, up = false}, [])
      fun descending (last, run, n, l as x :: rest) =
            (case keep (last, x) of
               GREATER => descending (x, x :: run, n + 1, rest)
             | _ => ({items = run, length = n, up = true}, l))
        | descending (_, run, n, []) = ({items = run, length = n, up = true}, [])
    in
      fn (x, y :: rest) =>
           (case keep (x, y) of
              GREATER => descending (y, [y, x], 2, rest)
            | LESS => ascending (y, [y, x], 2, rest)
            | EQUAL => ascending (x, [x], 1, rest))
       | (x, []) => ({items = [x], length = 1, up = true}, [])
    end

  (* Lists of up to six items by insertion, from the end: there is no stack of runs to make. *)
  fun isShort l =
    let
      fun ends ([], _) = true
        | ends (_ :: rest, n) = n > 0 andalso ends (rest, n - 1)
    in
      ends (l, 6)
    end
  fun inserted keep =
    let
      fun insert (x, []) = [x]
        | insert (x, l as y :: rest) =
            (case keep (x, y) of
               GREATER => y :: insert (x, rest)
             | LESS => x :: l
             | EQUAL => x :: rest)
      fun all [] = []
        | all (x :: rest) = insert (x, all rest)
    in
      all
    end

  (* Runs stand in a stack until those above them are as long, by powers of two: then two are joined, so that all are joined
     with their like, and the small ones while their items are still in the cache. After Juge, Adaptive Shivers Sort, 2020:
     comparisons of n items are about as few as the lengths of the runs allow: some n (H + 3.5), H being the entropy of those. *)
  fun merged (keep : 'a * 'a -> order) =
    let
      val join = joined keep
      val first = first keep
      fun isHigher (m, n) =
        m > n andalso Word.xorb (Word.fromInt m, Word.fromInt n) > Word.fromInt n
      fun settle (stack as (x : 'a run) :: (y : 'a run) :: (z : 'a run) :: rest) =
            if isHigher (#length z, Int.max (#length x, #length y)) then stack
            else settle (x :: join (z, y) :: rest)
        | settle stack = stack
      fun all [] = []
        | all [{items, up, ...} : 'a run] = if up then items else rev items
        | all (x :: y :: rest) = all (join (y, x) :: rest)
      fun go ([], stack) = all stack
        | go (x :: l, stack) =
            let
              val (run, rest) = first (x, l)
            in
              go (rest, settle (run :: stack))
            end
    in
      fn l => go (l, [])
    end

  fun sortBy keep l = if isShort l then inserted keep l else merged keep l
  fun sort greater = sortBy (fn (x, y) => if greater (x, y) then GREATER else LESS)
  fun uniqueSort compare = sortBy compare

  fun sorted greater =
    let
      fun check (x :: (rest as y :: _)) = not (greater (x, y)) andalso check rest
        | check _ = true
    in
      check
    end
end

functor ArrayMergeSortFn (A : MONO_ARRAY) : MONO_ARRAY_SORT =
struct
  structure A = A

  fun sorted compare a =
    let
      fun check i =
        i >= A.length a
        orelse compare (A.sub (a, i - 1), A.sub (a, i)) <> GREATER andalso check (i + 1)
    in
      check 1
    end

  (* Items lo to hi - 1 by insertion. *)
  fun insertion (compare, a, lo, hi) =
    let
      fun place (x, i) =
        if i > lo andalso compare (A.sub (a, i - 1), x) = GREATER then
          (A.update (a, i, A.sub (a, i - 1)); place (x, i - 1))
        else A.update (a, i, x)
      fun each i = if i >= hi then () else (place (A.sub (a, i), i); each (i + 1))
    in
      each (lo + 1)
    end

  fun sort compare a =
    let
      val n = A.length a
      val spare = if n < 2 then a else A.tabulate ((n + 1) div 2, fn i => A.sub (a, i))
      fun aside (i, lo, mid) =
        if i = mid then () else (A.update (spare, i - lo, A.sub (a, i)); aside (i + 1, lo, mid))
      (* Items i to m - 1 of spare and j to hi - 1 of a go to k and behind. *)
      fun merge (i, m, j, hi, k) =
        if i = m then ()
        else if j = hi orelse compare (A.sub (spare, i), A.sub (a, j)) <> GREATER then
          (A.update (a, k, A.sub (spare, i)); merge (i + 1, m, j, hi, k + 1))
        else (A.update (a, k, A.sub (a, j)); merge (i, m, j + 1, hi, k + 1))
      fun sort (lo, hi) =
        if hi - lo <= 8 then insertion (compare, a, lo, hi)
        else
          let
            val mid = (lo + hi) div 2
          in
            sort (lo, mid);
            sort (mid, hi);
            if compare (A.sub (a, mid - 1), A.sub (a, mid)) = GREATER then
              (aside (lo, lo, mid); merge (0, mid - lo, mid, hi, lo))
            else ()
          end
    in
      sort (0, n)
    end
end

functor ArrayQSortFn (A : MONO_ARRAY) : MONO_ARRAY_SORT = ArrayMergeSortFn (A)

structure ArrayMergeSort : ARRAY_SORT =
struct
  fun sorted compare a =
    let
      fun check i =
        i >= Array.length a
        orelse compare (Array.sub (a, i - 1), Array.sub (a, i)) <> GREATER andalso check (i + 1)
    in
      check 1
    end

  fun sort compare a =
    if sorted compare a then ()
    else
      let
        val l = ListMergeSort.sort (fn p => compare p = GREATER) (Array.foldr (op ::) [] a)
        fun store (_, []) = ()
          | store (i, x :: rest) = (Array.update (a, i, x); store (i + 1, rest))
      in
        store (0, l)
      end
end

structure ArrayQSort : ARRAY_SORT = ArrayMergeSort

functor BSearchFn (A : MONO_ARRAY) : sig
  structure A : MONO_ARRAY

  val bsearch : (('a * A.elem) -> order) -> ('a * A.array) -> (int * A.elem) option
  (* An item for which the comparison with the key says EQUAL, and its index. The array ascends. *)
end =
struct
  structure A = A

  fun bsearch compare (key, a) =
    let
      fun within (lo, hi) =
        if lo > hi then NONE
        else
          let
            val mid = lo + (hi - lo) div 2
            val x = A.sub (a, mid)
          in
            case compare (key, x) of
              LESS => within (lo, mid - 1)
            | EQUAL => SOME (mid, x)
            | GREATER => within (mid + 1, hi)
          end
    in
      within (0, A.length a - 1)
    end
end

functor BinarySearchFn (A : MONO_ARRAY) = BSearchFn (A)
