(* HashRep': the chained hash table behind HashTable, HashTableFn, Hash2TableFn and HashSetFn.

   The number of buckets is a power of two, at least 32 and more than the number of items. A bucket's number is the low
   bits of the hash, and new items come first in their bucket: so tables list their items in the order in which SML/NJ's
   do, and programs whose output shows it print the same. The price is SML/NJ's too: hashes that differ in high bits only
   meet in one bucket.
   A chain never changes: an insertion copies the cells before the key's, so a walk over a table sees each bucket as it
   was when it came there, whatever the walk does to the table. *)

structure HashRep' =
struct
  datatype ('k, 'v) bucket
    = Nil
    | Cell of word * 'k * 'v * ('k, 'v) bucket
  (* The hash first. *)

  type ('k, 'v) rep = {buckets : ('k, 'v) bucket array ref, count : int ref}

  (* The number of a hash's bucket, of n buckets. *)
  fun place (n, h) = Word.toInt (Word.andb (h, Word.fromInt (n - 1)))

  fun roomFor n =
    let
      fun grow size = if size >= n orelse size >= 0x2000000 then size else grow (2 * size)
    in
      grow 32
    end

  fun new n : ('k, 'v) rep = {buckets = ref (Array.array (roomFor n, Nil)), count = ref 0}

  fun clear ({buckets, count} : ('k, 'v) rep) = (Array.modify (fn _ => Nil) (!buckets); count := 0)

  fun count ({count, ...} : ('k, 'v) rep) = !count

  (* Twice the buckets. *)
  fun grow ({buckets, ...} : ('k, 'v) rep) =
    let
      val n = 2 * Array.length (!buckets)
      val new = Array.array (n, Nil)
      fun move Nil = ()
        | move (Cell (h, k, v, rest)) =
            let val i = place (n, h) in Array.update (new, i, Cell (h, k, v, Array.sub (new, i))); move rest end
    in
      Array.app move (!buckets);
      buckets := new
    end

  (* combine is asked for the value if the key is there. *)
  fun insertWith (same, combine) (t as {buckets, count} : ('k, 'v) rep) (h, k, v) =
    let
      val array = !buckets
      val i = place (Array.length array, h)
      val chain = Array.sub (array, i)
      fun search Nil = false
        | search (Cell (h', k', _, rest)) = h = h' andalso same (k, k') orelse search rest
      fun replace (Cell (h', k', v', rest)) =
            if h = h' andalso same (k, k') then Cell (h, k, combine (k, v', v), rest)
            else Cell (h', k', v', replace rest)
        | replace Nil = Nil
    in
      if search chain then Array.update (array, i, replace chain)
      else
        (Array.update (array, i, Cell (h, k, v, chain));
         count := !count + 1;
         if !count >= Array.length array then grow t else ())
    end

  fun insert same t = insertWith (same, fn (_, _, v) => v) t

  fun find same ({buckets, ...} : ('k, 'v) rep) (h, k) =
    let
      fun search Nil = NONE
        | search (Cell (h', k', v, rest)) = if h = h' andalso same (k, k') then SOME v else search rest
    in
      search (Array.sub (!buckets, place (Array.length (!buckets), h)))
    end

  fun member same ({buckets, ...} : ('k, 'v) rep) (h, k) =
    let
      fun search Nil = false
        | search (Cell (h', k', _, rest)) = h = h' andalso same (k, k') orelse search rest
    in
      search (Array.sub (!buckets, place (Array.length (!buckets), h)))
    end

  (* What was there. *)
  fun remove same (t as {buckets, count} : ('k, 'v) rep) (h, k) =
    case find same t (h, k) of
      NONE => NONE
    | found =>
        let
          val array = !buckets
          val i = place (Array.length array, h)
          fun without Nil = Nil
            | without (Cell (h', k', v, rest)) =
                if h = h' andalso same (k, k') then rest else Cell (h', k', v, without rest)
        in
          Array.update (array, i, without (Array.sub (array, i)));
          count := !count - 1;
          found
        end

  fun fold f init ({buckets, ...} : ('k, 'v) rep) =
    let
      fun chain (Nil, x) = x
        | chain (Cell (_, k, v, rest), x) = chain (rest, f (k, v, x))
    in
      Array.foldl chain init (!buckets)
    end

  fun app f = fold (fn (k, v, ()) => f (k, v)) ()

  (* From the last bucket to the first, so the list begins with the first one's. *)
  fun list f ({buckets, ...} : ('k, 'v) rep) =
    let
      fun chain (Nil, l) = l
        | chain (Cell (_, k, v, rest), l) = chain (rest, f (k, v) :: l)
    in
      Array.foldr chain [] (!buckets)
    end

  (* Some key whose binding satisfies f; stops there. *)
  fun findKey f ({buckets, ...} : ('k, 'v) rep) =
    let
      val array = !buckets
      fun search (Nil, i) = if i = Array.length array then NONE else search (Array.sub (array, i), i + 1)
        | search (Cell (_, k, v, rest), i) = if f (k, v) then SOME k else search (rest, i)
    in
      search (Nil, 0)
    end

  fun map f ({buckets, count} : ('k, 'v) rep) =
    let
      fun chain Nil = Nil
        | chain (Cell (h, k, v, rest)) = let val v = f (k, v) in Cell (h, k, v, chain rest) end
      val old = !buckets
      val new = Array.array (Array.length old, Nil)
    in
      Array.appi (fn (i, b) => Array.update (new, i, chain b)) old;
      {buckets = ref new, count = ref (!count)}
    end

  fun modify f ({buckets, ...} : ('k, 'v) rep) =
    let
      fun chain Nil = Nil
        | chain (Cell (h, k, v, rest)) = let val v = f (k, v) in Cell (h, k, v, chain rest) end
    in
      Array.modify chain (!buckets)
    end

  fun filter f ({buckets, count} : ('k, 'v) rep) =
    let
      val kept = ref 0
      fun chain Nil = Nil
        | chain (Cell (h, k, v, rest)) =
            if f (k, v) then (kept := !kept + 1; Cell (h, k, v, chain rest)) else chain rest
    in
      Array.modify chain (!buckets);
      count := !kept
    end

  fun copy ({buckets, count} : ('k, 'v) rep) : ('k, 'v) rep =
    let
      val old = !buckets
      val new = Array.array (Array.length old, Nil)
    in
      Array.copy {src = old, dst = new, di = 0};
      {buckets = ref new, count = ref (!count)}
    end

  fun bucketSizes ({buckets, ...} : ('k, 'v) rep) =
    let
      fun length (Nil, n) = n
        | length (Cell (_, _, _, rest), n) = length (rest, n + 1)
    in
      Array.foldr (fn (b, l) => length (b, 0) :: l) [] (!buckets)
    end
end
