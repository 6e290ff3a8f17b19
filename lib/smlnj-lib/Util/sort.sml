(* Sorting and searching: ListMergeSort, ArrayQSort, ArrayQSortFn, ArrayMergeSort, ArrayMergeSortFn, BSearchFn.

   Lists: merges of the runs that are there, so sorted and reversed lists take linear time; stable.
   Arrays: the runs of the array are merged likewise through an array of half the size. Quicksort's name is kept for the
   sake of programs; merging is stable besides and has no bad case. When the comparison raises an exception, what is in
   the array is not told. *)

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
  (* Sorts in place, in ascending order; stable. *)
  val sorted : ('a * 'a -> order) -> 'a array -> bool
  (* Whether no item is greater than the one behind it. *)
end

signature MONO_ARRAY_SORT =
sig
  structure A : MONO_ARRAY
  val sort : (A.elem * A.elem -> order) -> A.array -> unit
  (* Sorts in place, in ascending order; stable. *)
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

(* The sorts of arrays, for arrays of one type and of all.

   Runs and the stack of them are those of ListMergeSort.merged; but a run that would be shorter than 16 items is made
   that long by insertion. Of two runs that are joined the shorter one is put aside: so the spare array needs half the
   size, and an array that is sorted needs none. *)
functor ArraySort'
  (type 'a array
   type 'a elem
   val length : 'a array -> int
   val sub : 'a array * int -> 'a elem
   val update : 'a array * int * 'a elem -> unit
   val spare : int * 'a elem -> 'a array) =
struct
  fun sorted compare a =
    let
      fun check i =
        i >= length a orelse compare (sub (a, i - 1), sub (a, i)) <> GREATER andalso check (i + 1)
    in
      check 1
    end

  val shortest = 16

  fun sort compare a =
    let
      val n = length a
      fun isGreater p = compare p = GREATER
      (* Items lo to hi - 1, of which those in front of i are sorted. *)
      fun insertion (lo, i, hi) =
        let
          fun place (x, i) =
            if i > lo then
              let
                val y = sub (a, i - 1)
              in
                if isGreater (y, x) then (update (a, i, y); place (x, i - 1)) else update (a, i, x)
              end
            else update (a, i, x)
          fun each i = if i >= hi then () else (place (sub (a, i), i); each (i + 1))
        in
          each i
        end
      fun turn (i, j) =
        if i < j then
          let
            val x = sub (a, i)
          in
            update (a, i, sub (a, j));
            update (a, j, x);
            turn (i + 1, j - 1)
          end
        else ()
      fun ascending i =
        if i < n andalso not (isGreater (sub (a, i - 1), sub (a, i))) then ascending (i + 1) else i
      fun descending i =
        if i < n andalso isGreater (sub (a, i - 1), sub (a, i)) then descending (i + 1) else i
      (* The end of the run that begins at lo. *)
      fun run lo =
        let
          val last =
            if lo + 1 < n andalso isGreater (sub (a, lo), sub (a, lo + 1)) then
              let
                val last = descending (lo + 2)
              in
                turn (lo, last - 1);
                last
              end
            else ascending (lo + 1)
        in
          if last - lo >= shortest then last
          else
            let
              val hi = Int.min (lo + shortest, n)
            in
              insertion (lo, Int.min (last, hi), hi);
              hi
            end
        end

      fun merges spare =
        let
          fun aside (i, hi, k) =
            if i = hi then () else (update (spare, k, sub (a, i)); aside (i + 1, hi, k + 1))
          fun back (i, m, k) =
            if i = m then () else (update (a, k, sub (spare, i)); back (i + 1, m, k + 1))
          (* Items i to m - 1 of spare, in front, and j to hi - 1 of a go to k and behind. *)
          fun up (i, m, j, hi, k) =
            let
              fun go (i, x, j, y, k) =
                if isGreater (x, y) then
                  (update (a, k, y);
                   if j + 1 = hi then back (i, m, k + 1)
                   else go (i, x, j + 1, sub (a, j + 1), k + 1))
                else
                  (update (a, k, x);
                   if i + 1 = m then () else go (i + 1, sub (spare, i + 1), j, y, k + 1))
            in
              go (i, sub (spare, i), j, sub (a, j), k)
            end
          (* Items lo to i of a, in front, and 0 to j of spare go to k and below. *)
          fun down (lo, i, j, k) =
            let
              fun go (i, x, j, y, k) =
                if isGreater (x, y) then
                  (update (a, k, x);
                   if i = lo then back (0, j + 1, lo) else go (i - 1, sub (a, i - 1), j, y, k - 1))
                else
                  (update (a, k, y);
                   if j = 0 then () else go (i, x, j - 1, sub (spare, j - 1), k - 1))
            in
              go (i, sub (a, i), j, sub (spare, j), k)
            end
          (* Runs lo to mid - 1 and mid to hi - 1. *)
          fun join (lo, mid, hi) =
            if not (isGreater (sub (a, mid - 1), sub (a, mid))) then ()
            else if mid - lo <= hi - mid then
              (aside (lo, mid, 0); up (0, mid - lo, mid, hi, lo))
            else
              (aside (mid, hi, 0); down (lo, mid - 1, hi - mid - 1, hi - 1))
          fun isHigher (m, n) =
            m > n andalso Word.xorb (Word.fromInt m, Word.fromInt n) > Word.fromInt n
          (* The stack has where runs begin, the last one first; that one ends at hi. *)
          fun settle (stack as x :: y :: z :: rest, hi) =
                if isHigher (y - z, Int.max (hi - x, x - y)) then stack
                else (join (z, y, x); settle (x :: z :: rest, hi))
            | settle (stack, _) = stack
          fun all (x :: y :: rest) = (join (y, x, n); all (y :: rest))
            | all _ = ()
          fun go (lo, stack) =
            if lo = n then all stack
            else
              let
                val hi = run lo
              in
                go (hi, settle (lo :: stack, hi))
              end
        in
          go
        end
    in
      if n < 2 then ()
      else
        let
          val first = run 0
        in
          if first = n then () else merges (spare (n div 2, sub (a, 0))) (first, [0])
        end
    end
end

functor ArrayMergeSortFn (A : MONO_ARRAY) : MONO_ARRAY_SORT =
struct
  structure A = A
  structure S =
    ArraySort' (open A
                type 'a array = A.array
                type 'a elem = A.elem
                val spare = A.array)
  val sort = S.sort
  val sorted = S.sorted
end

functor ArrayQSortFn (A : MONO_ARRAY) : MONO_ARRAY_SORT = ArrayMergeSortFn (A)

structure ArrayMergeSort : ARRAY_SORT =
  ArraySort' (open Array
              type 'a elem = 'a
              val spare = Array.array)

structure ArrayQSort : ARRAY_SORT = ArrayMergeSort

signature BSEARCH' =
sig
  structure A : MONO_ARRAY

  val bsearch : (('a * A.elem) -> order) -> ('a * A.array) -> (int * A.elem) option
  (* An item for which the comparison with the key says EQUAL, and its index. The array ascends. *)
end

functor BSearchFn (A : MONO_ARRAY) : BSEARCH' =
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

functor BinarySearchFn (A : MONO_ARRAY) : BSEARCH' = BSearchFn (A)
