(* Sorting and searching: ListMergeSort, ArrayQSort, ArrayQSortFn, ArrayMergeSort, ArrayMergeSortFn, BSearchFn.

   Lists: merges of the runs that are there, bottom up, so sorted and reversed lists take linear time; stable.
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
end

signature MONO_ARRAY_SORT =
sig
  structure A : MONO_ARRAY
  val sort : (A.elem * A.elem -> order) -> A.array -> unit
  val sorted : (A.elem * A.elem -> order) -> A.array -> bool
end

structure ListMergeSort : LIST_SORT =
struct
  (* Two sorted lists as one. Reversed accumulators keep the stack flat. *)
  fun mergeWith keep (xs, ys) =
    let
      fun merge ([], ys, acc) = List.revAppend (acc, ys)
        | merge (xs, [], acc) = List.revAppend (acc, xs)
        | merge (xs as x :: xr, ys as y :: yr, acc) =
            (case keep (x, y) of
               GREATER => merge (xs, yr, y :: acc)
             | LESS => merge (xr, ys, x :: acc)
             | EQUAL => merge (xr, yr, x :: acc))
    in
      merge (xs, ys, [])
    end

  (* Neighbours are merged until one is left. *)
  fun mergeAll merge =
    let
      fun pairs (a :: b :: rest) = merge (a, b) :: pairs rest
        | pairs rest = rest
      fun all [] = []
        | all [a] = a
        | all runs = all (pairs runs)
    in
      all
    end

  (* The ascending and strictly descending runs of a list, each ascending. *)
  fun runs greater =
    let
      fun start ([], done) = rev done
        | start ([x], done) = rev ([x] :: done)
        | start (x :: y :: rest, done) =
            if greater (x, y) then descending (y, [y, x], rest, done) else ascending (y, [y, x], rest, done)
      and ascending (last, run, x :: rest, done) =
            if greater (last, x) then start (x :: rest, rev run :: done) else ascending (x, x :: run, rest, done)
        | ascending (_, run, [], done) = rev (rev run :: done)
      and descending (last, run, x :: rest, done) =
            if greater (last, x) then descending (x, x :: run, rest, done) else start (x :: rest, run :: done)
        | descending (_, run, [], done) = rev (run :: done)
    in
      fn l => start (l, [])
    end

  fun sort greater l =
    mergeAll (mergeWith (fn (x, y) => if greater (x, y) then GREATER else LESS)) (runs greater l)

  fun uniqueSort compare l =
    let
      fun once (x :: (rest as y :: _)) = if compare (x, y) = EQUAL then once rest else x :: once rest
        | once l = l
    in
      mergeAll (mergeWith compare) (List.map once (runs (fn (x, y) => compare (x, y) = GREATER) l))
    end

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
      fun check i = i >= A.length a orelse compare (A.sub (a, i - 1), A.sub (a, i)) <> GREATER andalso check (i + 1)
    in
      check 1
    end

  (* Items lo to hi - 1 by insertion. *)
  fun insertion (compare, a, lo, hi) =
    let
      fun place (x, i) =
        if i > lo andalso compare (A.sub (a, i - 1), x) = GREATER then (A.update (a, i, A.sub (a, i - 1)); place (x, i - 1))
        else A.update (a, i, x)
      fun each i = if i >= hi then () else (place (A.sub (a, i), i); each (i + 1))
    in
      each (lo + 1)
    end

  fun sort compare a =
    let
      val n = A.length a
      val spare = if n < 2 then a else A.tabulate ((n + 1) div 2, fn i => A.sub (a, i))
      fun aside (i, lo, mid) = if i = mid then () else (A.update (spare, i - lo, A.sub (a, i)); aside (i + 1, lo, mid))
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
        i >= Array.length a orelse compare (Array.sub (a, i - 1), Array.sub (a, i)) <> GREATER andalso check (i + 1)
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

functor BSearchFn (A : MONO_ARRAY) :
sig
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
