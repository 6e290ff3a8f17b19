(* HashRep': the chained hash table behind HashTable, HashTableFn, Hash2TableFn and HashSetFn.

   The number of buckets is a power of two, at least 32 and more than the number of items. A bucket's number is the low
   bits of the hash, and new items come first in their bucket: so tables list their items in the order in which SML/NJ's
   do, and programs whose output shows it print the same. The price is SML/NJ's too: hashes that differ in high bits only
   meet in one bucket.
   A binding is a CELL, which never changes, until its key gets another value; then it becomes a VAR, whose value is in a
   ref, and is written there from that time on. So a table whose values never change is as small as it can be, and one whose
   values change often stays where it is: cells that are made anew, with new keys, are spread over all of the heap.
   The key stays the one that the binding was made with.
   Nothing else of a chain changes, and a walk over a table sees each bucket as it was when it came there, values too,
   whatever the walk does to the table. *)

structure HashRep' =
struct
  (* The hash first. *)
  datatype ('k, 'v) bucket
    = NIL
    | CELL of word * 'k * 'v * ('k, 'v) bucket
    | VAR of word * 'k * 'v ref * ('k, 'v) bucket

  type ('k, 'v) rep = {buckets : ('k, 'v) bucket array ref, count : int ref}

  (* The number of a hash's bucket, of n buckets. *)
  fun place (n, h) = Word.toInt (Word.andb (h, Word.fromInt (n - 1)))

  fun roomFor n =
    let
      fun grow size = if size >= n orelse size >= 0x2000000 then size else grow (2 * size)
    in
      grow 32
    end

  fun new n : ('k, 'v) rep = {buckets = ref (Array.array (roomFor n, NIL)), count = ref 0}

  fun clear ({buckets, count} : ('k, 'v) rep) = (Array.modify (fn _ => NIL) (!buckets); count := 0)

  fun count ({count, ...} : ('k, 'v) rep) = !count

  (* Twice the buckets. *)
  fun grow ({buckets, ...} : ('k, 'v) rep) =
    let
      val n = 2 * Array.length (!buckets)
      val new = Array.array (n, NIL)
      fun move NIL = ()
        | move (CELL (h, k, v, rest)) =
            let val i = place (n, h) in Array.update (new, i, CELL (h, k, v, Array.sub (new, i))); move rest end
        | move (VAR (h, k, v, rest)) =
            let val i = place (n, h) in Array.update (new, i, VAR (h, k, v, Array.sub (new, i))); move rest end
    in
      Array.app move (!buckets);
      buckets := new
    end

  (* A binding whose key is not there, first in the i-th bucket. *)
  fun add (t as {buckets, count} : ('k, 'v) rep, array, i, cell) =
    (Array.update (array, i, cell);
     count := !count + 1;
     if !count >= Array.length array then grow t else ())

  (* The chain, whose n-th binding is a VAR with this value. *)
  fun opened (CELL (h, k, _, rest), 0, value) = VAR (h, k, value, rest)
    | opened (CELL (h, k, v, rest), n, value) = CELL (h, k, v, opened (rest, n - 1, value))
    | opened (VAR (h, k, v, rest), n, value) = VAR (h, k, v, opened (rest, n - 1, value))
    | opened (NIL, _, _) = NIL

  (* combine is asked for the value if the key is there. When it changes the table, or raises, the table is whole. *)
  fun insertWith (same, combine) (t as {buckets, ...} : ('k, 'v) rep) (h, k, v) =
    let
      val array = !buckets
      val i = place (Array.length array, h)
      val chain = Array.sub (array, i)
      fun change value = value := combine (k, !value, v)
      fun search (NIL, _) = add (t, array, i, CELL (h, k, v, chain))
        | search (VAR (h', k', value, rest), n) =
            if h = h' andalso same (k, k') then change value else search (rest, n + 1)
        | search (CELL (h', k', old, rest), n) =
            if h = h' andalso same (k, k') then
              let val value = ref old
              in
                Array.update (array, i, opened (chain, n, value));
                change value
              end
            else search (rest, n + 1)
    in
      search (chain, 0)
    end

  fun insert same t = insertWith (same, fn (_, _, v) => v) t

  (* Of a table of units: nothing happens when the key is there. *)
  fun include' same (t as {buckets, ...} : ('k, unit) rep) (h, k) =
    let
      val array = !buckets
      val i = place (Array.length array, h)
      val chain = Array.sub (array, i)
      fun search NIL = add (t, array, i, CELL (h, k, (), chain))
        | search (CELL (h', k', _, rest)) = if h = h' andalso same (k, k') then () else search rest
        | search (VAR (h', k', _, rest)) = if h = h' andalso same (k, k') then () else search rest
    in
      search chain
    end

  fun find same ({buckets, ...} : ('k, 'v) rep) (h, k) =
    let
      fun search NIL = NONE
        | search (CELL (h', k', v, rest)) = if h = h' andalso same (k, k') then SOME v else search rest
        | search (VAR (h', k', v, rest)) = if h = h' andalso same (k, k') then SOME (!v) else search rest
    in
      search (Array.sub (!buckets, place (Array.length (!buckets), h)))
    end

  fun member same ({buckets, ...} : ('k, 'v) rep) (h, k) =
    let
      fun search NIL = false
        | search (CELL (h', k', _, rest)) = h = h' andalso same (k, k') orelse search rest
        | search (VAR (h', k', _, rest)) = h = h' andalso same (k, k') orelse search rest
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
          fun without NIL = NIL
            | without (CELL (h', k', v, rest)) =
                if h = h' andalso same (k, k') then rest else CELL (h', k', v, without rest)
            | without (VAR (h', k', v, rest)) =
                if h = h' andalso same (k, k') then rest else VAR (h', k', v, without rest)
        in
          Array.update (array, i, without (Array.sub (array, i)));
          count := !count - 1;
          found
        end

  (* A bucket's bindings as they are now. *)
  fun seen NIL = []
    | seen (CELL (_, k, v, rest)) = (k, v) :: seen rest
    | seen (VAR (_, k, v, rest)) = (k, !v) :: seen rest

  (* Most buckets have one binding or none. *)
  fun fold f init ({buckets, ...} : ('k, 'v) rep) =
    let
      fun chain (NIL, x) = x
        | chain (CELL (_, k, v, NIL), x) = f (k, v, x)
        | chain (VAR (_, k, v, NIL), x) = f (k, !v, x)
        | chain (bindings, x) = List.foldl (fn ((k, v), x) => f (k, v, x)) x (seen bindings)
    in
      Array.foldl chain init (!buckets)
    end

  fun app f = fold (fn (k, v, ()) => f (k, v)) ()

  (* From the last bucket to the first, so the list begins with the first one's. *)
  fun list f ({buckets, ...} : ('k, 'v) rep) =
    let
      fun chain (NIL, l) = l
        | chain (CELL (_, k, v, NIL), l) = f (k, v) :: l
        | chain (VAR (_, k, v, NIL), l) = f (k, !v) :: l
        | chain (bindings, l) = List.foldl (fn (binding, l) => f binding :: l) l (seen bindings)
    in
      Array.foldr chain [] (!buckets)
    end

  (* Some key whose binding satisfies f; stops there. *)
  fun findKey f ({buckets, ...} : ('k, 'v) rep) =
    let
      val array = !buckets
      fun search (i, []) = if i = Array.length array then NONE else search (i + 1, seen (Array.sub (array, i)))
        | search (i, (k, v) :: rest) = if f (k, v) then SOME k else search (i, rest)
    in
      search (0, [])
    end

  (* The chain with other values. *)
  fun mapped f chain =
    let
      fun again (CELL (h, k, _, rest), v :: values) = CELL (h, k, v, again (rest, values))
        | again (VAR (h, k, _, rest), v :: values) = CELL (h, k, v, again (rest, values))
        | again _ = NIL
    in
      case chain of
        NIL => NIL
      | CELL (h, k, v, NIL) => CELL (h, k, f (k, v), NIL)
      | _ => again (chain, List.map f (seen chain))
    end

  (* A new table, whose buckets are made of this one's. *)
  fun make f ({buckets, count} : ('k, 'v) rep) =
    let
      val old = !buckets
      val new = Array.array (Array.length old, NIL)
    in
      Array.appi (fn (i, chain) => Array.update (new, i, f chain)) old;
      {buckets = ref new, count = ref (!count)}
    end

  fun map f t = make (mapped f) t

  (* Chains that never change belong to both tables. *)
  fun copy t : ('k, 'v) rep =
    let
      fun isFixed NIL = true
        | isFixed (CELL (_, _, _, rest)) = isFixed rest
        | isFixed (VAR _) = false
    in
      make (fn chain => if isFixed chain then chain else mapped (fn (_, v) => v) chain) t
    end

  fun modify f ({buckets, ...} : ('k, 'v) rep) = Array.modify (mapped f) (!buckets)

  fun filter f ({buckets, count} : ('k, 'v) rep) =
    let
      val kept = ref 0
      fun keeps binding = f binding andalso (kept := !kept + 1; true)
      fun chain (CELL (h, k, v, rest), binding :: bindings) =
            if keeps binding then CELL (h, k, v, chain (rest, bindings)) else chain (rest, bindings)
        | chain (VAR (h, k, v, rest), binding :: bindings) =
            if keeps binding then VAR (h, k, v, chain (rest, bindings)) else chain (rest, bindings)
        | chain _ = NIL
    in
      Array.modify (fn NIL => NIL | bindings => chain (bindings, seen bindings)) (!buckets);
      count := !kept
    end

  fun bucketSizes ({buckets, ...} : ('k, 'v) rep) =
    let
      fun length (NIL, n) = n
        | length (CELL (_, _, _, rest), n) = length (rest, n + 1)
        | length (VAR (_, _, _, rest), n) = length (rest, n + 1)
    in
      Array.foldr (fn (chain, l) => length (chain, 0) :: l) [] (!buckets)
    end
end
