(* HashRep': the open-addressed hash table behind HashTable, HashTableFn, Hash2TableFn and HashSetFn.

   Three arrays of one length stand side by side: hashes, keys, values. An item is at the home of its hash, or in the first
   slot behind it that was empty (linear probing), so a look-up that finds its item goes to one place of each array, and one
   that finds nothing to one place of the hashes. At most two thirds of the slots are in use.

   Items are listed in the order in which SML/NJ's tables do, which are arrays of chains: programs whose output shows it
   print the same. So the table counts buckets, as those tables do: a power of two, at least 32 and more than the number of
   items. A bucket's number is the low bits of the hash, and the homes of buckets are spread evenly over the slots, in their
   order. The items of a bucket are those with its number, from its home to the next empty slot; the oldest comes first.
   For that reason a slot whose item was removed is not used again before all items are put into new arrays.
   A slot takes 20 bytes for a key and a value of a word, 4 of them for the hash: with 31 bits it has enough for 2^31
   buckets, and few keys are compared in vain.
   Hashes that differ in high bits only meet in one bucket, and those of several rows of successive numbers crowd a part of
   the slots: a table that finds that mixes the bits of its hashes from then on, and lists its items in another order.

   A walk over a table sees each bucket as it was when it came there, values too, whatever the walk does to the table; when
   the table gets new arrays, the walk stays with the old ones. The key of an item stays the one that it was put in with.

   Keeps: a slot without an item has neither a key nor a value, so nothing that was removed is kept alive; and a program
   whose threads use a table at once and without a lock may lose items, but what it finds are values of their types. *)

structure HashRep' =
struct
  structure P = PrimArrays'

  (* The arrays are longer than `slots` by one: nothing is ever put into the last element. What stands there stands in each
     slot without an item, and `P.array_lacks` knows it. *)
  type ('k, 'v) arrays =
    {hashes : Word32.word array,
     keys : 'k array,
     values : 'v array,
     slots : int,
     (* The number of buckets less one, and its logarithm. *)
     mask : word,
     log : word}

  (* used: slots that are not empty. changes: counts what may move or remove an item. mixed: hashes are mixed before they
     are stored or looked for. *)
  type ('k, 'v) rep =
    {arrays : ('k, 'v) arrays ref,
     count : int ref,
     used : int ref,
     changes : int ref,
     mixed : bool ref}

  (* What stands among the hashes where there is no item, and where one was removed; hashes have the highest bit. *)
  val empty = 0w0 : word
  val gone = 0w1 : word
  val highest = 0wx80000000 : word

  (* Each word is that of one other. The upper half goes into the lower one, an odd factor takes all bits upwards, and the
     exchange of the halves brings them down. *)
  fun mix h =
    let
      val h = Word.xorb (h, Word.>> (h, 0w32)) * 0wx9E3779B97F4A7C15
    in
      Word.orb (Word.<< (h, 0w32), Word.>> (h, 0w32))
    end

  (* 31 bits of a hash. Six of those that no bucket is numbered by, below 2^25 buckets, tell whether the higher ones
     are others; hashes that have none stay as they are. *)
  fun short h =
    let
      val high = Word.>> (Word.>> (h, 0w31) * 0wx9E3779B97F4A7C15, 0w58)
      val h = Word.xorb (h, Word.<< (high, 0w25))
    in
      Word.orb (Word.andb (h, highest - 0w1), highest)
    end

  (* A hash as this table stores it. *)
  fun stored ({mixed, ...} : ('k, 'v) rep, h) = short (if !mixed then mix h else h)

  fun bucketOf ({mask, ...} : ('k, 'v) arrays, h) = Word.andb (h, mask)

  (* The slot where the search for a bucket's items begins. *)
  fun home ({slots, log, ...} : ('k, 'v) arrays, bucket) =
    Word.toInt (Word.>> (bucket * Word.fromInt slots, log))

  fun next ({slots, ...} : ('k, 'v) arrays, i) = if i + 1 = slots then 0 else i + 1
  fun previous ({slots, ...} : ('k, 'v) arrays, i) = if i = 0 then slots - 1 else i - 1

  fun hashAt ({hashes, ...} : ('k, 'v) arrays, i) = Word32.toLarge (P.array_sub_unsafe (hashes, i))
  fun setHash ({hashes, ...} : ('k, 'v) arrays, i, h) =
    P.array_update_unsafe (hashes, i, Word32.fromLarge h)
  (* Keys and values are read by the primitive itself where `P.array_lacks` is asked: a function would give a pair by its
     parts, and take apart what is none. *)
  fun setValue ({values, ...} : ('k, 'v) arrays, i, v) = P.array_update_unsafe (values, i, v)

  (* The hash comes last, and goes first: a thread that sees it sees the rest, or that it is not there. *)
  fun put (a as {keys, values, ...} : ('k, 'v) arrays, i, h, k, v) =
    (P.array_update_unsafe (keys, i, k); P.array_update_unsafe (values, i, v); setHash (a, i, h))
  fun take (a as {keys, values, slots, ...} : ('k, 'v) arrays, i, h) =
    (setHash (a, i, h);
     P.array_update_unsafe (keys, i, P.array_sub_unsafe (keys, slots));
     P.array_update_unsafe (values, i, P.array_sub_unsafe (values, slots)))

  (* The logarithm of the number of buckets for n items: the least that is enough, at most 25. *)
  fun logOf n =
    let
      fun grow (k, size) = if size >= n orelse size >= 0x2000000 then k else grow (k + 1, 2 * size)
    in
      grow (5, 32)
    end

  fun newArrays (log, slots) : ('k, 'v) arrays =
    {hashes = Array.array (slots + 1, Word32.fromLarge empty),
     keys = P.array_new_uninit (slots + 1),
     values = P.array_new_uninit (slots + 1),
     slots = slots,
     mask = Word.<< (0w1, Word.fromInt log) - 0w1,
     log = Word.fromInt log}

  fun buckets ({mask, ...} : ('k, 'v) arrays) = Word.toInt mask + 1

  (* n items have room. A table for few items has fewer slots than buckets; others have three for two, as in a table that
     grows, so a row of successive numbers leaves gaps. *)
  fun new n : ('k, 'v) rep =
    let
      val log = logOf n
      val slots =
        if n <= 10 then 16
        else if n <= 21 then 32
        else Word.toInt (Word.<< (0w3, Word.fromInt (log - 1)))
    in
      {arrays = ref (newArrays (log, slots)),
       count = ref 0,
       used = ref 0,
       changes = ref 0,
       mixed = ref false}
    end

  fun count ({count, ...} : ('k, 'v) rep) = !count

  fun clear ({arrays, count, used, changes, ...} : ('k, 'v) rep) =
    let
      val a as {slots, ...} = !arrays
      fun go i = if i = slots then () else (take (a, i, empty); go (i + 1))
    in
      go 0;
      changes := !changes + 1;
      count := 0;
      used := 0
    end

  (* The slots of a bucket's items, the newest first. *)
  fun slotsOf (a, bucket) =
    let
      fun go (i, found) =
        let
          val h = hashAt (a, i)
        in
          if h = empty then found
          else
            go (next (a, i),
                if h >= highest andalso bucketOf (a, h) = bucket then i :: found else found)
        end
    in
      go (home (a, bucket), [])
    end

  (* f of each bucket that may have items, with their slots, and of the result so far. *)
  fun foldBuckets f init a =
    let
      val n = Word.fromInt (buckets a)
      fun go (b, x) =
        if b = n then x
        else
          case slotsOf (a, b) of
            [] => go (b + 0w1, x)
          | l => go (b + 0w1, f (l, x))
    in
      go (0w0, init)
    end

  fun foldBucketsFromLast f init a =
    let
      fun go (0w0, x) = x
        | go (b, x) =
            case slotsOf (a, b - 0w1) of
              [] => go (b - 0w1, x)
            | l => go (b - 0w1, f (l, x))
    in
      go (Word.fromInt (buckets a), init)
    end

  (* What is in these slots. *)
  fun seen ({keys, values, ...} : ('k, 'v) arrays, slots) =
    let
      fun go [] = []
        | go (i :: rest) =
            let
              val k = P.array_sub_unsafe (keys, i)
              val v = P.array_sub_unsafe (values, i)
            in
              if P.array_lacks (keys, k) orelse P.array_lacks (values, v) then go rest
              else (k, v) :: go rest
            end
    in
      go slots
    end

  (* The first empty slot for a hash. *)
  fun place (a, h) =
    let
      fun go i = if hashAt (a, i) = empty then i else go (next (a, i))
    in
      go (home (a, bucketOf (a, h)))
    end

  (* All items in new arrays, each with what f makes of its hash and slot. When the buckets become more, the newest item
     of one goes first, as SML/NJ does it; else nothing has happened in the eyes of SML/NJ. The items of a bucket stand by
     their age, with no empty slot between: a walk over the slots, from an empty one on, meets them in that order, or
     backwards in the other. *)
  fun rebuild ({arrays, used, count, changes, ...} : ('k, 'v) rep) (log, slots, f) =
    let
      val old as {keys, values, slots = oldSlots, ...} = !arrays
      val new = newArrays (log, slots)
      fun item (h, i, n) =
        let
          val k = P.array_sub_unsafe (keys, i)
          val v = P.array_sub_unsafe (values, i)
        in
          if P.array_lacks (keys, k) orelse P.array_lacks (values, v) then n
          else
            let
              val h = f (h, i)
            in
              put (new, place (new, h), h, k, v);
              n + 1
            end
        end
      (* Nothing is read where there is no item. *)
      fun move (i, n) = let val h = hashAt (old, i) in if h < highest then n else item (h, i, n) end
      fun emptyFrom i =
        if hashAt (old, i) = empty orelse i + 1 = oldSlots then i else emptyFrom (i + 1)
      val first = emptyFrom 0
      fun forwards (i, n) = if i = first then n else forwards (next (old, i), move (i, n))
      fun backwards (i, n) = if i = first then n else backwards (previous (old, i), move (i, n))
      val n =
        if buckets new > buckets old then backwards (previous (old, first), 0)
        else forwards (next (old, first), 0)
    in
      arrays := new;
      changes := !changes + 1;
      count := n;
      used := n
    end

  (* From i back to the bucket's home, more than n slots have other hashes than h. *)
  fun isFar (a, h, i, n) =
    let
      val first = home (a, bucketOf (a, h))
      fun go (i, n) =
        if i = first then false
        else
          let
            val i = previous (a, i)
          in
            if hashAt (a, i) = h then go (i, n) else n = 0 orelse go (i, n - 1)
          end
    in
      go (i, n)
    end

  (* As many come from hashes that are alike in their low bits. Mixing does not help where hashes are equal. *)
  val longest = 16

  (* Hashes that are spread evenly do not come so far from their home, in a table that is two thirds full. *)
  val farthest = 400

  (* More than n items of the bucket have other hashes than h. *)
  fun isLonger (a, h, n) =
    List.length (List.filter (fn i => hashAt (a, i) <> h) (slotsOf (a, bucketOf (a, h)))) > n

  (* So many items are in a third as many buckets, or fewer: hashes that are spread evenly take more than half as many in
     a table that is not full. Of a table that is much too large not all buckets are looked at. *)
  fun isCrowded (a, n) = buckets a <= 8 * n andalso 3 * foldBuckets (fn (_, m) => m + 1) 0 a < n

  (* The mixed hashes of all items, by slots. They are asked for anew, since not all bits of a hash are stored. NONE when
     the function, which is the program's, has changed the table. *)
  fun mixedHashes ({arrays, count, changes, ...} : ('k, 'v) rep, hash) =
    let
      val a as {keys, slots, ...} = !arrays
      val n = !count
      val changed = !changes
      val new = Array.array (slots, Word32.fromLarge empty)
      fun one i =
        let
          val k = P.array_sub_unsafe (keys, i)
        in
          if P.array_lacks (keys, k) then ()
          else P.array_update_unsafe (new, i, Word32.fromLarge (short (mix (hash k))))
        end
      fun go i =
        if i = slots then () else (if hashAt (a, i) < highest then () else one i; go (i + 1))
    in
      go 0;
      if !count = n andalso !changes = changed then SOME new else NONE
    end

  (* An item whose key is not there, into the i-th slot. Each time that the number of items has doubled, its bucket is
     looked at, and if that has several hashes, how many buckets have none. *)
  fun add
    (hash,
     t as {arrays, count, used, mixed, ...} : ('k, 'v) rep,
     a as {hashes, slots, log, ...},
     i,
     h,
     k,
     v) =
    let
      val () = put (a, i, h, k, v)
      val n = !count + 1
      val log = Word.toInt log
      fun far () =
        let
          val from = home (a, bucketOf (a, h))
        in
          (if i < from then i + slots else i) - from > farthest andalso isFar (a, h, i, farthest)
        end
      fun isAlike () =
        n >= 2 * longest
        andalso Word.andb (Word.fromInt n, Word.fromInt (n - 1)) = 0w0
        andalso (isLonger (a, h, longest) orelse isLonger (a, h, 2) andalso isCrowded (a, n))
      (* Stored hashes number no more buckets than that. *)
      fun isFull () = !count >= buckets a andalso log < 31
      (* Where most slots in use are of items that were removed, the same number of slots does. *)
      fun spread f =
        rebuild
          t
          (if isFull () then (log + 1, 3 * buckets a, f)
           else (log, if 4 * !count >= slots then 2 * slots else slots, f))
      fun isTight () = isFull () orelse 3 * !used >= 2 * slots
      (* Where the program's function has not done it. *)
      fun makeRoom () =
        if PrimRefs'.ptr_eq (#hashes (!arrays), hashes) andalso isTight () then spread #1 else ()
      fun mixAll () =
        case mixedHashes (t, hash) handle e => (makeRoom (); raise e) of
          SOME new =>
            (spread (fn (_, i) => Word32.toLarge (P.array_sub_unsafe (new, i))); mixed := true)
        | NONE => makeRoom ()
    in
      count := n;
      used := !used + 1;
      if not (!mixed) andalso (far () orelse isAlike ()) then mixAll ()
      else if isTight () then spread #1
      else ()
    end

  (* What `found` makes of the key's slot, or `missing` of the slot where it would be put. *)
  fun search (same, found, missing) (a as {keys, ...} : ('k, 'v) arrays, h, k) =
    let
      fun go i =
        let
          val h' = hashAt (a, i)
        in
          if h' = h then
            let
              val k' = P.array_sub_unsafe (keys, i)
            in
              if not (P.array_lacks (keys, k')) andalso same (k, k') then found i
              else go (next (a, i))
            end
          else if h' = empty then missing i
          else go (next (a, i))
        end
    in
      go (home (a, bucketOf (a, h)))
    end

  fun insert (hash, same) (t as {arrays, ...} : ('k, 'v) rep) (k, v) =
    let
      val h = stored (t, hash k)
      val a = !arrays
    in
      search (same, fn i => setValue (a, i, v), fn i => add (hash, t, a, i, h, k, v)) (a, h, k)
    end

  (* combine is asked for the value if the key is there. When it changes the table, or raises, the table is whole; when it
     removes the key, that is not there afterwards. *)
  fun insertWith (hash, same, combine) (t as {arrays, changes, ...} : ('k, 'v) rep) (k, v) =
    let
      val h = hash k
      val h' = stored (t, h)
      val a as {values, ...} = !arrays
      fun found i =
        let
          val old = P.array_sub_unsafe (values, i)
          val changed = !changes
          val new = if P.array_lacks (values, old) then v else combine (k, old, v)
        in
          if !changes = changed then setValue (a, i, new)
          else
            let
              val a = !arrays
            in
              search (same, fn i => setValue (a, i, new), fn _ => ()) (a, stored (t, h), k)
            end
        end
    in
      search (same, found, fn i => add (hash, t, a, i, h', k, v)) (a, h', k)
    end

  (* Nothing happens when the key is there. *)
  fun include' (hash, same) (t as {arrays, ...} : ('k, 'v) rep) (k, v) =
    let
      val h = stored (t, hash k)
      val a = !arrays
    in
      search (same, fn _ => (), fn i => add (hash, t, a, i, h, k, v)) (a, h, k)
    end

  fun valueOf ({values, ...} : ('k, 'v) arrays) i =
    let
      val v = P.array_sub_unsafe (values, i)
    in
      if P.array_lacks (values, v) then NONE else SOME v
    end

  fun find same (t as {arrays, ...} : ('k, 'v) rep) (h, k) =
    let
      val a = !arrays
    in
      search (same, valueOf a, fn _ => NONE) (a, stored (t, h), k)
    end

  fun member same (t as {arrays, ...} : ('k, 'v) rep) (h, k) =
    search (same, fn _ => true, fn _ => false) (!arrays, stored (t, h), k)

  (* An item goes. What was removed before it becomes empty too, where the slot behind is empty. *)
  fun removeAt ({count, used, changes, ...} : ('k, 'v) rep, a, i) =
    let
      fun free i =
        if hashAt (a, i) = gone then
          (setHash (a, i, empty); used := !used - 1; free (previous (a, i)))
        else ()
    in
      take (a, i, gone);
      changes := !changes + 1;
      count := !count - 1;
      if hashAt (a, next (a, i)) = empty then free i else ()
    end

  (* What was there. *)
  fun remove same (t as {arrays, ...} : ('k, 'v) rep) (h, k) =
    let
      val a = !arrays
      fun found i = let val v = valueOf a i in removeAt (t, a, i); v end
    in
      search (same, found, fn _ => NONE) (a, stored (t, h), k)
    end

  fun fold f init ({arrays, ...} : ('k, 'v) rep) =
    let
      val a = !arrays
    in
      foldBuckets (fn (l, x) => List.foldl (fn ((k, v), x) => f (k, v, x)) x (seen (a, l))) init a
    end

  fun app f = fold (fn (k, v, ()) => f (k, v)) ()

  (* From the last bucket to the first, so the list begins with the first one's. *)
  fun list f ({arrays, ...} : ('k, 'v) rep) =
    let
      val a = !arrays
    in
      foldBucketsFromLast
        (fn (slots, l) => List.foldl (fn (item, l) => f item :: l) l (seen (a, slots)))
        []
        a
    end

  (* Some key whose item satisfies f; stops there. *)
  fun findKey f ({arrays, ...} : ('k, 'v) rep) =
    let
      val a = !arrays
      val n = Word.fromInt (buckets a)
      fun search (b, []) = if b = n then NONE else search (b + 0w1, seen (a, slotsOf (a, b)))
        | search (b, (k, v) :: rest) = if f (k, v) then SOME k else search (b, rest)
    in
      search (0w0, [])
    end

  fun copyOf array =
    let
      val n = Array.length array
      val new = P.array_new_uninit n
    in
      P.array_copy_unsafe (array, 0, new, 0, n);
      new
    end

  fun copy ({arrays, count, used, mixed, ...} : ('k, 'v) rep) : ('k, 'v) rep =
    let
      val {hashes, keys, values, slots, mask, log} = !arrays
    in
      {arrays =
         ref {hashes = copyOf hashes,
              keys = copyOf keys,
              values = copyOf values,
              slots = slots,
              mask = mask,
              log = log},
       count = ref (!count),
       used = ref (!used),
       changes = ref 0,
       mixed = ref (!mixed)}
    end

  (* The values of a bucket's items after f, with their slots; nothing is changed before f has been called for all. *)
  fun results (f, a, slots) =
    List.map
      (fn i =>
        let
          val h = hashAt (a, i)
          fun one [item] = SOME (f item)
            | one _ = NONE
        in
          (i, h, one (seen (a, [i])))
        end)
      slots

  (* A new table: the items that there are, with other values. *)
  fun map f t : ('k, 'w) rep =
    let
      val {arrays = ref (a as {hashes, keys, slots, mask, log, ...}), count, used, mixed, ...} =
        copy t
      val new =
        {hashes = hashes,
         keys = keys,
         values = P.array_new_uninit (slots + 1),
         slots = slots,
         mask = mask,
         log = log}
      fun change (i, _, SOME v) = setValue (new, i, v)
        | change (_, _, NONE) = ()
    in
      foldBuckets (fn (l, ()) => List.app change (results (f, a, l))) () a;
      {arrays = ref new, count = count, used = used, changes = ref 0, mixed = mixed}
    end

  fun modify f ({arrays, ...} : ('k, 'v) rep) =
    let
      val a = !arrays
      fun change (i, h, SOME v) = if hashAt (a, i) = h then setValue (a, i, v) else ()
        | change (_, _, NONE) = ()
    in
      foldBuckets (fn (l, ()) => List.app change (results (f, a, l))) () a
    end

  fun filter f (t as {arrays, ...} : ('k, 'v) rep) =
    let
      val a as {hashes, ...} = !arrays
      fun isCurrent () = PrimRefs'.ptr_eq (#hashes (!arrays), hashes)
      fun change (i, h, SOME false) =
            if hashAt (a, i) = h andalso isCurrent () then removeAt (t, a, i) else ()
        | change _ = ()
    in
      foldBuckets (fn (l, ()) => List.app change (results (f, a, l))) () a
    end

  fun bucketSizes ({arrays, ...} : ('k, 'v) rep) =
    let
      val a = !arrays
      fun sizes (0w0, l) = l
        | sizes (b, l) = sizes (b - 0w1, List.length (slotsOf (a, b - 0w1)) :: l)
    in
      sizes (Word.fromInt (buckets a), [])
    end
end
