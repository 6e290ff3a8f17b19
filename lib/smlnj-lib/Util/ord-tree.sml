(* OrdTreeFn': weight-balanced search trees, the one representation behind every ordered map and set of this library
   (BinaryMapFn, RedBlackMapFn, SplayMapFn, ListMapFn, and the same for sets).

   After Adams, 1993, with the balance of Hirai and Yamamoto, JFP 2011 (delta 3, ratio 2); everything on two trees is
   made of split and join, after Blelloch, Ferizovic and Sun, SPAA 2016: m log (n/m + 1) for sizes m <= n.
   A set is a tree of units, which take no room.

   Keeps: keys increase from left to right; no side weighs more than delta times the other. *)

functor OrdTreeFn' (K : ORD_KEY) =
struct
  type key = K.ord_key

  datatype 'a tree =
      E
    | T of int * 'a tree * key * 'a * 'a tree
  (* The number of nodes first. *)

  fun size E = 0
    | size (T (n, _, _, _, _)) = n

  fun node (l, k, v, r) = T (size l + size r + 1, l, k, v, r)

  fun single (k, v) = T (1, E, k, v, E)

  (* A side of weight a (size + 1) may stand beside one of weight b. *)
  fun bears (a, b) = 3 * (b + 1) >= a + 1

  fun rotateLeft (l, k, v, T (_, rl, rk, rv, rr)) =
        if size rl < 2 * size rr + 1 then node (node (l, k, v, rl), rk, rv, rr)
        else
          (case rl of
             T (_, rll, rlk, rlv, rlr) =>
               node (node (l, k, v, rll), rlk, rlv, node (rlr, rk, rv, rr))
           | E => node (node (l, k, v, rl), rk, rv, rr))
    | rotateLeft (l, k, v, E) = node (l, k, v, E)

  fun rotateRight (T (_, ll, lk, lv, lr), k, v, r) =
        if size lr < 2 * size ll + 1 then node (ll, lk, lv, node (lr, k, v, r))
        else
          (case lr of
             T (_, lrl, lrk, lrv, lrr) =>
               node (node (ll, lk, lv, lrl), lrk, lrv, node (lrr, k, v, r))
           | E => node (ll, lk, lv, node (lr, k, v, r)))
    | rotateRight (E, k, v, r) = node (E, k, v, r)

  (* A side of m nodes and one of n, one of which may have gained or lost a node. *)
  fun balanced (m, n, l, k, v, r) =
    if not (bears (n, m)) then rotateLeft (l, k, v, r)
    else if not (bears (m, n)) then rotateRight (l, k, v, r)
    else T (m + n + 1, l, k, v, r)

  fun balance (l, k, v, r) = balanced (size l, size r, l, k, v, r)

  (* In place of one side of a node of n there is a new one. The other side is not looked at: its size is what is left, and it
     is a miss of the cache. *)
  fun withLeft (n, old, l, k, v, r) = balanced (size l, n - 1 - size old, l, k, v, r)
  fun withRight (n, l, k, v, old, r) = balanced (n - 1 - size old, size r, l, k, v, r)

  (* As these, where the new side has not lost a node: only it can be too heavy. *)
  fun grownLeft (n, old, l, k, v, r) =
    let
      val m = size l
      val n = n - 1 - size old
    in
      if bears (m, n) then T (m + n + 1, l, k, v, r) else rotateRight (l, k, v, r)
    end
  fun grownRight (n, l, k, v, old, r) =
    let
      val m = n - 1 - size old
      val n = size r
    in
      if bears (n, m) then T (m + n + 1, l, k, v, r) else rotateLeft (l, k, v, r)
    end

  (* Any two trees, all keys of l before k, all of r behind it. *)
  fun join (l, k, v, r) =
    (case (l, r) of
       (E, _) => insertMin (k, v, r)
     | (_, E) => insertMax (l, k, v)
     | (T (m, ll, lk, lv, lr), T (n, rl, rk, rv, rr)) =>
         if not (bears (n, m)) then balance (join (l, k, v, rl), rk, rv, rr)
         else if not (bears (m, n)) then balance (ll, lk, lv, join (lr, k, v, r))
         else T (m + n + 1, l, k, v, r))

  and insertMin (k, v, E) = single (k, v)
    | insertMin (k, v, T (_, l, k', v', r)) = balance (insertMin (k, v, l), k', v', r)

  and insertMax (E, k, v) = single (k, v)
    | insertMax (T (_, l, k', v', r), k, v) = balance (l, k', v', insertMax (r, k, v))

  fun min E = NONE
    | min (T (_, E, k, v, _)) = SOME (k, v)
    | min (T (_, l, _, _, _)) = min l

  fun max E = NONE
    | max (T (_, _, k, v, E)) = SOME (k, v)
    | max (T (_, _, _, _, r)) = max r

  (* The least binding, and the rest; not of E. *)
  fun takeMin (E, k, v, r) = (k, v, r)
    | takeMin (T (_, ll, lk, lv, lr), k, v, r) =
        let val (k', v', l) = takeMin (ll, lk, lv, lr) in (k', v', balance (l, k, v, r)) end

  fun takeMax (l, k, v, E) = (k, v, l)
    | takeMax (l, k, v, T (_, rl, rk, rv, rr)) =
        let val (k', v', r) = takeMax (rl, rk, rv, rr) in (k', v', balance (l, k, v, r)) end

  (* Two sides of a node that has gone. *)
  fun glue (E, r) = r
    | glue (l, E) = l
    | glue (l as T (m, ll, lk, lv, lr), r as T (n, rl, rk, rv, rr)) =
        if m > n then let val (k, v, l) = takeMax (ll, lk, lv, lr) in balance (l, k, v, r) end
        else let val (k, v, r) = takeMin (rl, rk, rv, rr) in balance (l, k, v, r) end

  (* Any two trees, all keys of the first before those of the second. *)
  fun join2 (E, r) = r
    | join2 (l, E) = l
    | join2 (l, T (_, rl, rk, rv, rr)) =
        let val (k, v, r) = takeMin (rl, rk, rv, rr) in join (l, k, v, r) end

  fun find (t, k) =
    let
      fun look E = NONE
        | look (T (_, l, k', v, r)) =
            (case K.compare (k, k') of LESS => look l | GREATER => look r | EQUAL => SOME v)
    in
      look t
    end

  fun member (t, k) =
    let
      fun look E = false
        | look (T (_, l, k', _, r)) =
            (case K.compare (k, k') of LESS => look l | GREATER => look r | EQUAL => true)
    in
      look t
    end

  fun insert (t, k, v) =
    let
      fun ins E = single (k, v)
        | ins (T (n, l, k', v', r)) =
            (case K.compare (k, k') of
               LESS => grownLeft (n, l, ins l, k', v', r)
             | GREATER => grownRight (n, l, k', v', r, ins r)
             | EQUAL => T (n, l, k, v, r))
    in
      ins t
    end

  fun insertWith f (t, k, v) =
    let
      fun ins E = single (k, v)
        | ins (T (n, l, k', v', r)) =
            (case K.compare (k, k') of
               LESS => grownLeft (n, l, ins l, k', v', r)
             | GREATER => grownRight (n, l, k', v', r, ins r)
             | EQUAL => T (n, l, k, f (k, v', v), r))
    in
      ins t
    end

  (* Raises LibBase.NotFound before anything is built. *)
  fun remove (t, k) =
    let
      fun rem E = raise LibBase.NotFound
        | rem (T (n, l, k', v, r)) =
            (case K.compare (k, k') of
               LESS => let val (l', x) = rem l in (withLeft (n, l, l', k', v, r), x) end
             | GREATER => let val (r', x) = rem r in (withRight (n, l, k', v, r, r'), x) end
             | EQUAL => (glue (l, r), v))
    in
      rem t
    end

  (* What is before k, what belongs to k, what is behind k. *)
  fun split (t, k) =
    let
      fun spl E = (E, NONE, E)
        | spl (T (_, l, k', v, r)) =
            (case K.compare (k, k') of
               LESS => let val (a, x, b) = spl l in (a, x, join (b, k', v, r)) end
             | GREATER => let val (a, x, b) = spl r in (join (l, k', v, a), x, b) end
             | EQUAL => (l, SOME v, r))
    in
      spl t
    end

  fun union f =
    let
      fun uni (E, t) = t
        | uni (t, E) = t
        | uni (T (_, l, k, v, r), t) =
            let
              val (a, x, b) = split (t, k)
              val l = uni (l, a)
              val v = case x of SOME w => f (k, v, w) | NONE => v
            in
              join (l, k, v, uni (r, b))
            end
    in
      uni
    end

  fun intersect f =
    let
      fun int (E, _) = E
        | int (_, E) = E
        | int (T (_, l, k, v, r), t) =
            let
              val (a, x, b) = split (t, k)
              val l = int (l, a)
            in
              case x of
                SOME w => let val u = f (k, v, w) in join (l, k, u, int (r, b)) end
              | NONE => join2 (l, int (r, b))
            end
    in
      int
    end

  fun difference (t, E) = t
    | difference (E, _) = E
    | difference (t, T (_, l, k, _, r)) =
        let val (a, _, b) = split (t, k) in join2 (difference (a, l), difference (b, r)) end

  (* Keeps what f gives for every key of either tree. *)
  fun merge f =
    let
      fun one (l, k, x, r) = case x of SOME v => join (l, k, v, r) | NONE => join2 (l, r)
      fun left E = E
        | left (T (_, l, k, v, r)) =
            let
              val l = left l
              val x = f (k, SOME v, NONE)
            in
              one (l, k, x, left r)
            end
      fun right E = E
        | right (T (_, l, k, v, r)) =
            let
              val l = right l
              val x = f (k, NONE, SOME v)
            in
              one (l, k, x, right r)
            end
      fun mrg (E, t) = right t
        | mrg (t, E) = left t
        | mrg (T (_, l, k, v, r), t) =
            let
              val (a, y, b) = split (t, k)
              val l = mrg (l, a)
              val x = f (k, SOME v, y)
            in
              one (l, k, x, mrg (r, b))
            end
    in
      mrg
    end

  fun app f =
    let
      fun walk E = ()
        | walk (T (_, l, k, v, r)) = (walk l; f (k, v); walk r)
    in
      walk
    end

  fun map f =
    let
      fun walk E = E
        | walk (T (n, l, k, v, r)) =
            let
              val l = walk l
              val v = f (k, v)
            in
              T (n, l, k, v, walk r)
            end
    in
      walk
    end

  fun foldl f init t =
    let
      fun walk (E, x) = x
        | walk (T (_, l, k, v, r), x) = walk (r, f (k, v, walk (l, x)))
    in
      walk (t, init)
    end

  fun foldr f init t =
    let
      fun walk (E, x) = x
        | walk (T (_, l, k, v, r), x) = walk (l, f (k, v, walk (r, x)))
    in
      walk (t, init)
    end

  fun mapPartial f =
    let
      fun walk E = E
        | walk (T (_, l, k, v, r)) =
            let
              val l = walk l
              val x = f (k, v)
              val r = walk r
            in
              case x of SOME v => join (l, k, v, r) | NONE => join2 (l, r)
            end
    in
      walk
    end

  fun filter f =
    let
      fun walk E = E
        | walk (t as T (_, l, k, v, r)) =
            let
              val l' = walk l
              val keep = f (k, v)
              val r' = walk r
            in
              if not keep then join2 (l', r')
              else if size l' = size l andalso size r' = size r then t
              else join (l', k, v, r')
            end
    in
      walk
    end

  fun exists f =
    let
      fun walk E = false
        | walk (T (_, l, k, v, r)) = walk l orelse f (k, v) orelse walk r
    in
      walk
    end

  fun all f = not o exists (not o f)

  fun findFirst f =
    let
      fun walk E = NONE
        | walk (T (_, l, k, v, r)) =
            (case walk l of
               NONE => if f (k, v) then SOME k else walk r
             | found => found)
    in
      walk
    end

  (* A walk that can be left and taken up: the trees whose root is next, the nearest first. *)
  fun descend (E, rest) = rest
    | descend (t as T (_, l, _, _, _), rest) = descend (l, t :: rest)

  fun next [] = NONE
    | next (T (_, _, k, v, r) :: rest) = SOME (k, v, descend (r, rest))
    | next (E :: rest) = next rest

  fun collate f (s, t) =
    let
      fun walk (ss, ts) =
        (case (next ss, next ts) of
           (NONE, NONE) => EQUAL
         | (NONE, SOME _) => LESS
         | (SOME _, NONE) => GREATER
         | (SOME (j, v, ss), SOME (k, w, ts)) =>
             (case K.compare (j, k) of
                EQUAL => (case f (v, w) of EQUAL => walk (ss, ts) | unequal => unequal)
              | unequal => unequal))
    in
      walk (descend (s, []), descend (t, []))
    end

  (* What belongs to k in a walk that has not passed it, and the walk behind it. It climbs no higher than it must, so m keys
     in their order take m log (n/m + 1) steps. *)
  fun seek (k, walk) =
    let
      fun inside (E, _) = NONE
        | inside (t as T (_, l, k', v, r), rest) =
            (case K.compare (k, k') of
               LESS => inside (l, t :: rest)
             | EQUAL => SOME (v, descend (r, rest))
             | GREATER => inside (r, rest))
      (* The keys of t are those before the walk's. *)
      fun climb (t, walk as T (_, _, k', v, r) :: rest) =
            (case K.compare (k, k') of
               LESS => inside (t, walk)
             | EQUAL => SOME (v, descend (r, rest))
             | GREATER => climb (r, rest))
        | climb (t, _) = inside (t, [])
    in
      climb (E, walk)
    end

  (* Every key of t is in s, with related values. *)
  fun extends f (s, t) =
    let
      fun walk (ss, ts) =
        (case next ts of
           NONE => true
         | SOME (k, w, ts) =>
             (case seek (k, ss) of
                NONE => false
              | SOME (v, ss) => f (v, w) andalso walk (ss, ts)))
    in
      size s >= size t andalso walk (descend (s, []), descend (t, []))
    end

  fun disjoint (E, _) = true
    | disjoint (_, E) = true
    | disjoint (T (_, l, k, _, r), t) =
        let
          val (a, x, b) = split (t, k)
        in
          not (isSome x) andalso disjoint (l, a) andalso disjoint (r, b)
        end

  (* A tree of n keys in increasing order, which a reader gives one by one. *)
  fun build (0, xs) = (E, xs)
    | build (n, xs) =
        let
          val half = (n - 1) div 2
          val (l, xs) = build (half, xs)
        in
          case xs of
            (k, v) :: xs =>
              let val (r, xs) = build (n - 1 - half, xs) in (T (n, l, k, v, r), xs) end
          | [] => (l, [])
        end
end
