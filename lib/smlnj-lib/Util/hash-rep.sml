(* HashRep': the chained hash table behind HashTable, HashTableFn, Hash2TableFn and HashSetFn.

   The number of buckets is a power of two, at least 32 and more than the number of items. A bucket's number is the low
   bits of the hash, and new items come first in their bucket: so tables list their items in the order in which SML/NJ's
   do, and programs whose output shows it print the same. Hashes that differ in high bits only meet in one bucket: a table
   whose chains become long by that mixes the bits of its hashes from then on, and lists its items in another order.
   A binding is a CELL, which never changes, until its key gets another value; then it becomes a VAR, whose value is in a
   ref, and is written there from that time on. So a table whose values never change is as small as it can be, and one whose
   values change often stays where it is: cells that are made anew, with new keys, are spread over all of the heap.
   The key stays the one that the binding was made with.
   Nothing else of a chain changes, and a walk over a table sees each bucket as it was when it came there, values too,
   whatever the walk does to the table. *)

structure HashRep' =
struct
  (* The hash first. *)
  datatype ('k, 'v) bucket =
      NIL
    | CELL of word * 'k * 'v * ('k, 'v) bucket
    | VAR of word * 'k * 'v ref * ('k, 'v) bucket

  (* mixed: hashes are mixed before they are stored or looked for. *)
  type ('k, 'v) rep = {buckets : ('k, 'v) bucket array ref, count : int ref, mixed : bool ref}

  (* The number of a hash's bucket, of n buckets. *)
  fun place (n, h) = Word.toInt (Word.andb (h, Word.fromInt (n - 1)))

  (* Each word is that of one other. The upper half goes into the lower one, an odd factor takes all bits upwards, and the
     exchange of the halves brings them down. *)
  fun mix h =
    let
      val h = Word.xorb (h, Word.>> (h, 0w32)) * 0wx9E3779B97F4A7C15
    in
      Word.orb (Word.<< (h, 0w32), Word.>> (h, 0w32))
    end

  (* A hash as this table stores it. *)
  fun stored ({mixed, ...} : ('k, 'v) rep, h) = if !mixed then mix h else h

  fun roomFor n =
    let
      fun grow size = if size >= n orelse size >= 0x2000000 then size else grow (2 * size)
    in
      grow 32
    end

  fun new n : ('k, 'v) rep =
    {buckets = ref (Array.array (roomFor n, NIL)), count = ref 0, mixed = ref false}

  fun clear ({buckets, count, ...} : ('k, 'v) rep) =
    (Array.modify (fn _ => NIL) (!buckets); count := 0)

  fun count ({count, ...} : ('k, 'v) rep) = !count

  (* The bindings in n buckets, each with what f makes of its hash. *)
  fun rebuild ({buckets, ...} : ('k, 'v) rep) (n, f) =
    let
      val new = Array.array (n, NIL)
      fun move NIL = ()
        | move (CELL (h, k, v, rest)) =
            let
              val h = f h
              val i = place (n, h)
            in
              Array.update (new, i, CELL (h, k, v, Array.sub (new, i)));
              move rest
            end
        | move (VAR (h, k, v, rest)) =
            let
              val h = f h
              val i = place (n, h)
            in
              Array.update (new, i, VAR (h, k, v, Array.sub (new, i)));
              move rest
            end
    in
      Array.app move (!buckets);
      buckets := new
    end

  (* A chain of more than n bindings that have other hashes than its first one. *)
  fun isLonger (chain, n) =
    let
      fun differ (NIL, _, _) = false
        | differ (CELL (h, _, _, rest), first, n) = counted (h, first, n, rest)
        | differ (VAR (h, _, _, rest), first, n) = counted (h, first, n, rest)
      and counted (h, first, n, rest) =
        if h = first then differ (rest, first, n) else n = 0 orelse differ (rest, first, n - 1)
    in
      case chain of
        NIL => false
      | CELL (first, _, _, rest) => differ (rest, first, n)
      | VAR (first, _, _, rest) => differ (rest, first, n)
    end

  (* As many, in a table that is not full, come from hashes that are alike in their low bits. Mixing does not help where
     hashes are equal. *)
  val longest = 16

  (* So many bindings are in a third as many buckets, or fewer: hashes that are spread evenly take more than half as many
     in a table that is not full. Of a table that is much too large not all buckets are looked at. *)
  fun isCrowded (array, n) =
    let
      fun occupied NIL = 0
        | occupied _ = 1
    in
      Array.length array <= 8 * n
      andalso 3 * Array.foldl (fn (chain, m) => occupied chain + m) 0 array < n
    end

  (* A binding whose key is not there, first in the i-th bucket. Each time that the number of bindings has doubled, the chain
     that it came to is looked at, and if that has several hashes, how many buckets have none. *)
  fun add (t as {buckets, count, mixed} : ('k, 'v) rep, array, i, cell) =
    let
      val n = !count + 1
    in
      Array.update (array, i, cell);
      count := n;
      if n >= Array.length array then rebuild t (2 * Array.length array, fn h => h) else ();
      if n >= 2 * longest
         andalso Word.andb (Word.fromInt n, Word.fromInt (n - 1)) = 0w0
         andalso not (!mixed)
         andalso (isLonger (cell, longest)
                  orelse isLonger (cell, 2) andalso isCrowded (!buckets, n))
      then (mixed := true; rebuild t (Array.length (!buckets), mix))
      else ()
    end

  (* The chain, whose n-th binding is a VAR with this value. *)
  fun opened (CELL (h, k, _, rest), 0, value) = VAR (h, k, value, rest)
    | opened (CELL (h, k, v, rest), n, value) = CELL (h, k, v, opened (rest, n - 1, value))
    | opened (VAR (h, k, v, rest), n, value) = VAR (h, k, v, opened (rest, n - 1, value))
    | opened (NIL, _, _) = NIL

  (* combine is asked for the value if the key is there. When it changes the table, or raises, the table is whole. *)
  fun insertWith (same, combine) (t as {buckets, ...} : ('k, 'v) rep) (h, k, v) =
    let
      val h = stored (t, h)
      val array = !buckets
      val i = place (Array.length array, h)
      val chain = Array.sub (array, i)
      fun change value = value := combine (k, !value, v)
      fun search (NIL, _) = add (t, array, i, CELL (h, k, v, chain))
        | search (VAR (h', k', value, rest), n) =
            if h = h' andalso same (k, k') then change value else search (rest, n + 1)
        | search (CELL (h', k', old, rest), n) =
            if h = h' andalso same (k, k') then
              let
                val value = ref old
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
      val h = stored (t, h)
      val array = !buckets
      val i = place (Array.length array, h)
      val chain = Array.sub (array, i)
      fun search NIL = add (t, array, i, CELL (h, k, (), chain))
        | search (CELL (h', k', _, rest)) = if h = h' andalso same (k, k') then () else search rest
        | search (VAR (h', k', _, rest)) = if h = h' andalso same (k, k') then () else search rest
    in
      search chain
    end

  fun find same (t as {buckets, ...} : ('k, 'v) rep) (h, k) =
    let
      val h = stored (t, h)
      fun search NIL = NONE
        | search (CELL (h', k', v, rest)) =
            if h = h' andalso same (k, k') then SOME v else search rest
        | search (VAR (h', k', v, rest)) =
            if h = h' andalso same (k, k') then SOME (!v) else search rest
    in
      search (Array.sub (!buckets, place (Array.length (!buckets), h)))
    end

  fun member same (t as {buckets, ...} : ('k, 'v) rep) (h, k) =
    let
      val h = stored (t, h)
      fun search NIL = false
        | search (CELL (h', k', _, rest)) = h = h' andalso same (k, k') orelse search rest
        | search (VAR (h', k', _, rest)) = h = h' andalso same (k, k') orelse search rest
    in
      search (Array.sub (!buckets, place (Array.length (!buckets), h)))
    end

  (* What was there. *)
  fun remove same (t as {buckets, count, ...} : ('k, 'v) rep) (h, k) =
    case find same t (h, k) of
      NONE => NONE
    | found =>
        let
          val h = stored (t, h)
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
      fun search (i, []) =
            if i = Array.length array then NONE else search (i + 1, seen (Array.sub (array, i)))
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
  fun make f ({buckets, count, mixed} : ('k, 'v) rep) =
    let
      val old = !buckets
      val new = Array.array (Array.length old, NIL)
    in
      Array.appi (fn (i, chain) => Array.update (new, i, f chain)) old;
      {buckets = ref new, count = ref (!count), mixed = ref (!mixed)}
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

  fun filter f ({buckets, count, ...} : ('k, 'v) rep) =
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
