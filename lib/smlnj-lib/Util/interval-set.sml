(* IntervalSetFn: sets of points of a discrete ordered domain, as a balanced tree of their maximal intervals: from where each
   begins to where it ends. One point or interval is added or looked for in logarithmic time; what has two sets, or all of
   one, goes by the sorted list.

   Keeps: between any two intervals there is a point that is not in the set. *)

signature INTERVAL_DOMAIN =
sig
  type point
  val compare : (point * point) -> order
  (* The order of two points. *)
  val succ : point -> point
  (* The next point; of `maxPt` itself. *)
  val pred : point -> point
  (* The point before; of `minPt` itself. *)
  val isSucc : (point * point) -> bool
  (* isSucc (p, q): succ p is q. *)
  val minPt : point
  (* The least point. *)
  val maxPt : point
  (* The largest point. *)
end

signature INTERVAL_SET =
sig
  structure D : INTERVAL_DOMAIN
  type item = D.point
  type interval = (item * item)
  (* Both ends belong to it. *)
  type set

  val empty : set
  (* The set without points. *)
  val universe : set
  (* The set of all points. *)
  val singleton : item -> set
  (* The set of one point. *)
  val fromList : item list -> set
  (* The set of the list's points. *)
  val interval : item * item -> set
  (* Raises Domain if the second end is before the first. *)
  val isEmpty : set -> bool
  (* Whether the set has no points. *)
  val isUniverse : set -> bool
  (* Whether the set has all points. *)
  val member : set * item -> bool
  (* Whether the point is in the set. *)
  val toList : set -> item list
  (* The points, in increasing order. *)
  val intervals : set -> interval list
  (* The intervals, in increasing order. *)

  val add : set * item -> set
  (* The set with the point. *)
  val add' : item * set -> set
  (* As `add`, with the point first. *)
  val addInt : set * interval -> set
  (* The set with all points of the interval. Raises Domain if its second end is before the first. *)
  val addInt' : interval * set -> set
  (* As `addInt`, with the interval first. *)

  val complement : set -> set
  (* The points that the set does not have. *)
  val union : (set * set) -> set
  (* The points of either set. *)
  val intersect : (set * set) -> set
  (* The points that both sets have. *)
  val difference : (set * set) -> set
  (* The first set without the points of the second. *)

  (* Over all points *)

  val app : (item -> unit) -> set -> unit
  (* Calls the function on each point, in increasing order. *)
  val foldl : (item * 'a -> 'a) -> 'a -> set -> 'a
  (* In increasing order: calls the function with a point and the result so far. *)
  val foldr : (item * 'a -> 'a) -> 'a -> set -> 'a
  (* In decreasing order: calls the function with a point and the result so far. *)
  val filter : (item -> bool) -> set -> set
  (* The points that satisfy the predicate. *)
  val all : (item -> bool) -> set -> bool
  (* Whether all points satisfy the predicate. *)
  val exists : (item -> bool) -> set -> bool
  (* Whether a point satisfies the predicate. *)

  (* Over all intervals *)

  val appInt : (interval -> unit) -> set -> unit
  (* Calls the function on each interval, in increasing order. *)
  val foldlInt : (interval * 'a -> 'a) -> 'a -> set -> 'a
  (* In increasing order: calls the function with an interval and the result so far. *)
  val foldrInt : (interval * 'a -> 'a) -> 'a -> set -> 'a
  (* In decreasing order: calls the function with an interval and the result so far. *)
  val filterInt : (interval -> bool) -> set -> set
  (* The intervals that satisfy the predicate. *)
  val allInt : (interval -> bool) -> set -> bool
  (* Whether all intervals satisfy the predicate. *)
  val existsInt : (interval -> bool) -> set -> bool
  (* Whether an interval satisfies the predicate. *)

  val compare : set * set -> order
  (* The order of the lists of intervals. *)
  val isSubset : set * set -> bool
  (* Whether the second set has every point of the first. *)
  val listItems : set -> item list
  (* The older name of toList. *)
end

functor IntervalSetFn (D : INTERVAL_DOMAIN) : INTERVAL_SET =
struct
  structure D = D
  type item = D.point
  type interval = item * item
  structure T = OrdTreeFn' (struct type ord_key = item val compare = D.compare end)
  datatype set = S of item T.tree

  fun less (p, q) = D.compare (p, q) = LESS
  fun min (p, q) = if less (q, p) then q else p
  fun max (p, q) = if less (p, q) then q else p

  (* The first ends before the second begins, with a point between them. *)
  fun apart ((_, q), (p, _)) = less (q, p) andalso not (D.isSucc (q, p))

  (* of intervals in order *)
  fun ofList l = S (#1 (T.build (length l, l)))
  fun intervals (S t) = T.foldr (fn (p, q, l) => (p, q) :: l) [] t

  val empty = S T.E
  val universe = S (T.single (D.minPt, D.maxPt))
  fun interval (p, q) = if less (q, p) then raise Domain else S (T.single (p, q))
  fun singleton p = S (T.single (p, p))
  fun isEmpty (S T.E) = true
    | isEmpty _ = false
  fun isUniverse (S (T.T (1, _, p, q, _))) =
        D.compare (p, D.minPt) = EQUAL andalso D.compare (q, D.maxPt) = EQUAL
    | isUniverse _ = false
  (* the last interval that begins at p or before has it, or none *)
  fun member (S t, p) =
    let
      fun look (T.E, found) = found
        | look (T.T (_, l, a, b, r), found) =
            if less (p, a) then look (l, found) else look (r, not (less (b, p)))
    in
      look (t, false)
    end

  fun union (s, t) =
    let
      (* The interval that grows, and what may still touch it. *)
      fun grow (i as (p, q), a, b, acc) =
        (case (a, b) of
           ((x as (_, x2)) :: a', _) =>
             if not (apart (i, x)) then grow ((min (p, #1 x), max (q, x2)), a', b, acc)
             else second (i, a, b, acc)
         | ([], _) => second (i, a, b, acc))
      and second (i as (p, q), a, b, acc) =
        (case b of
           (y as (y1, y2)) :: b' =>
             if not (apart (i, y)) then grow ((min (p, y1), max (q, y2)), a, b', acc)
             else start (a, b, i :: acc)
         | [] => start (a, b, i :: acc))
      and start ([], b, acc) = List.revAppend (acc, b)
        | start (a, [], acc) = List.revAppend (acc, a)
        | start (a as x :: a', b as y :: b', acc) =
            if less (#1 y, #1 x) then grow (y, a, b', acc) else grow (x, a', b, acc)
    in
      ofList (start (intervals s, intervals t, []))
    end

  fun addInt (S t, i as (p, q)) =
    let
      val () = if less (q, p) then raise Domain else ()
      val (before', at, behind) = T.split (t, p)
      val q = case at of SOME end' => max (q, end') | NONE => q
      val (before', p, q) =
        case T.max before' of
          SOME (x as (a, b)) =>
            if apart (x, i) then (before', p, q) else (#1 (T.remove (before', a)), a, max (q, b))
        | NONE => (before', p, q)
      (* what the interval has, or touches, is part of it *)
      fun join (q, behind) =
        case T.min behind of
          SOME (x as (c, d)) =>
            if apart ((p, q), x) then (q, behind) else join (max (q, d), #1 (T.remove (behind, c)))
        | NONE => (q, behind)
      val (q, behind) = join (q, behind)
    in
      S (T.join (before', p, q, behind))
    end
  fun addInt' (i, s) = addInt (s, i)
  fun add (s, p) = addInt (s, (p, p))
  fun add' (p, s) = add (s, p)

  fun fromList l =
    let
      val sorted = ListMergeSort.uniqueSort D.compare l
      fun join (p, q, x :: rest) =
            if D.isSucc (q, x) then join (p, x, rest) else (p, q) :: join (x, x, rest)
        | join (p, q, []) = [(p, q)]
    in
      case sorted of [] => empty | p :: rest => ofList (join (p, p, rest))
    end

  fun complement s =
    let
      (* p is the first point that is not settled. *)
      fun gaps (p, []) = [(p, D.maxPt)]
        | gaps (p, (a, b) :: rest) =
            let
              val after = if less (b, D.maxPt) then gaps (D.succ b, rest) else []
            in
              if less (p, a) then (p, D.pred a) :: after else after
            end
    in
      ofList (gaps (D.minPt, intervals s))
    end

  fun intersect (s, t) =
    let
      fun both ([], _, acc) = rev acc
        | both (_, [], acc) = rev acc
        | both (a as (p, q) :: a', b as (r, s) :: b', acc) =
            let
              val lo = max (p, r)
              val hi = min (q, s)
              val acc = if less (hi, lo) then acc else (lo, hi) :: acc
            in
              if less (q, s) then both (a', b, acc) else both (a, b', acc)
            end
    in
      ofList (both (intervals s, intervals t, []))
    end

  fun difference (a, b) = intersect (a, complement b)
  fun isSubset (a, b) = isEmpty (difference (a, b))

  fun appInt f (S t) = T.app f t
  fun foldlInt f init (S t) = T.foldl (fn (p, q, x) => f ((p, q), x)) init t
  fun foldrInt f init (S t) = T.foldr (fn (p, q, x) => f ((p, q), x)) init t
  fun filterInt f (S t) = S (T.filter f t)
  fun allInt f (S t) = T.all f t
  fun existsInt f (S t) = T.exists f t

  fun upwards f ((p, q), x) =
    let val x = f (p, x) in if less (p, q) then upwards f ((D.succ p, q), x) else x end
  fun downwards f ((p, q), x) =
    let val x = f (q, x) in if less (p, q) then downwards f ((p, D.pred q), x) else x end

  fun foldl f = foldlInt (upwards f)
  fun foldr f = foldrInt (downwards f)
  fun app f = foldl (fn (p, ()) => f p) ()
  fun toList s = foldr (op ::) [] s
  val listItems = toList
  fun filter f s = fromList (List.filter f (toList s))

  fun existsIn f (p, q) = f p orelse less (p, q) andalso existsIn f (D.succ p, q)
  fun exists f (S t) = T.exists (existsIn f) t
  fun all f s = not (exists (not o f) s)

  fun compare (s, t) =
    let
      fun one ((p, q), (r, s)) =
        case D.compare (p, r) of EQUAL => D.compare (q, s) | unequal => unequal
    in
      List.collate one (intervals s, intervals t)
    end
end
