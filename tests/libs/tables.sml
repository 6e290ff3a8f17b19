(* Hash tables against the plainest table with the same order: an array of lists, each binding a new one, as SML/NJ has it.

   A binding that got another value was a new cell with a new key, so a program that counts words had its table all over the
   heap: 1.8 times the time, and twice the memory. Now values are written in place. What must stay: the order, what a walk
   sees while it changes the table, that copies and maps share nothing, and what is left when a function raises. What is new:
   the key stays the one that was there. *)

val seed = ref 0w54321
fun random n = (seed := Rand.random (!seed); Rand.range (0, n - 1) (!seed))
fun check (name, ok) = if ok then () else (print ("wrong: " ^ name ^ "\n"); raise Fail name)
fun repeat (0, _) = ()
  | repeat (n, f) = (f (); repeat (n - 1, f))

exception Missing
exception Stop

structure Model =
struct
  type table = (word * string * int) list array ref

  fun power n = let fun go k = if k >= n then k else go (2 * k) in go 32 end
  fun new n : table = ref (Array.array (power n, []))
  fun all (t : table) = List.concat (Array.foldr (op ::) [] (!t))
  fun count t = length (all t)
  fun place (a, h) = Word.toInt (Word.mod (h, Word.fromInt (Array.length a)))
  fun put (a, (h, k, v)) = Array.update (a, place (a, h), (h, k, v) :: Array.sub (a, place (a, h)))

  fun has (t : table, same, h, k) = List.exists (fn (_, k', _) => same (k, k')) (Array.sub (!t, place (!t, h)))
  fun insert (t : table, same, h, k, f) =
    let val i = place (!t, h)
    in
      if has (t, same, h, k) then
        Array.update (!t, i,
          map (fn old as (h', k', v) => if same (k, k') then (h', k', f (SOME v)) else old) (Array.sub (!t, i)))
      else
        (put (!t, (h, k, f NONE));
         if count t >= Array.length (!t) then
           let val new = Array.array (2 * Array.length (!t), [])
           in Array.app (List.app (fn b => put (new, b))) (!t); t := new end
         else ())
    end
  fun remove (t : table, same, h, k) =
    let
      val i = place (!t, h)
      val (gone, left) = List.partition (fn (_, k', _) => same (k, k')) (Array.sub (!t, i))
    in
      Array.update (!t, i, left);
      case gone of [(_, _, v)] => SOME v | _ => NONE
    end
  (* in the order of walks, and in that of `listItemsi`, which has each bucket from its end *)
  fun walk t = map (fn (_, k, v) => (k, v)) (all t)
  fun list t = map (fn (_, k, v) => (k, v)) (List.concat (map rev (Array.foldr (op ::) [] (!t))))
  fun change (t : table, f) = Array.modify (List.mapPartial f) (!t)
end

(* -- random operations: hashes that are good, that meet, and that differ in high bits only; two kinds of equality *)

fun lower s = String.map Char.toLower s
fun equal (a : string, b) = a = b
fun alike (a, b) = lower a = lower b
val hashes =
  [("good", HashString.hashString o lower), ("few", fn s => Word.fromInt (size s)), ("one", fn _ => 0w7),
   ("high", fn s => Word.<< (HashString.hashString (lower s), 0w40))]

fun play (name, hash, same, range, size) =
  let
    (* A table whose hashes differ in high bits only, or crowd a few buckets, mixes them, so its order is another one. *)
    fun order l =
      if String.isPrefix "high" name orelse String.isPrefix "few" name then
        ListMergeSort.sort (fn ((a, _), (b, _)) => a > b) l
      else l
    fun key () =
      let val n = random range
      in (if random 2 = 0 then "k" else "K") ^ StringCvt.padLeft #"x" (n mod 5) (Int.toString n) end
    val t : (string, int) HashTable.hash_table = HashTable.mkTable (hash, same) (size, Missing)
    val m = Model.new size
    fun agree what = check (name ^ ": " ^ what, order (HashTable.listItemsi t) = order (Model.list m))
    fun step i =
      let
        val k = key ()
        val h = hash k
      in
        (case random 12 of
           0 => check (name ^ ": remove", (SOME (HashTable.remove t k) handle Missing => NONE) = Model.remove (m, same, h, k))
         | 1 => check (name ^ ": findAndRemove", HashTable.findAndRemove t k = Model.remove (m, same, h, k))
         | 2 =>
             (HashTable.insertWith (fn (old, new) => 2 * old + new) t (k, i);
              Model.insert (m, same, h, k, fn SOME old => 2 * old mod 1000 + i | NONE => i);
              (* keeps the numbers small, and tries another change on the way *)
              HashTable.modify (fn v => v) t;
              HashTable.insert t (k, 3);
              Model.insert (m, same, h, k, fn _ => 3))
         | 3 =>
             (HashTable.insertWithi (fn (k', old, new) => if k' = k then old + new else ~1) t (k, i);
              Model.insert (m, same, h, k, fn SOME old => old + i | NONE => i))
         | _ => (HashTable.insert t (k, i); Model.insert (m, same, h, k, fn _ => i)));
        check (name ^ ": numItems", HashTable.numItems t = Model.count m);
        check (name ^ ": inDomain", HashTable.inDomain t k = Model.has (m, same, h, k));
        if i mod 7 = 0 then
          let
            val k = key ()
            val there = List.find (fn (k', _) => same (k, k')) (Model.list m)
          in
            check (name ^ ": find", HashTable.find t k = Option.map #2 there);
            check (name ^ ": lookup", (SOME (HashTable.lookup t k) handle Missing => NONE) = Option.map #2 there)
          end
        else ();
        if i mod 50 = 0 then whole i else ()
      end
    and whole i =
      let
        val l = order (Model.list m)
        val walk = order (rev (Model.walk m))
        val seen = ref []
        val other = HashTable.copy t
        val mapped = HashTable.mapi (fn (k, v) => (k, v + 1)) t
      in
        agree "listItemsi";
        check (name ^ ": listItems", HashTable.listItems t = map #2 (HashTable.listItemsi t));
        check (name ^ ": foldi", order (HashTable.foldi (fn (k, v, l) => (k, v) :: l) [] t) = walk);
        HashTable.appi (fn b => seen := b :: !seen) t;
        check (name ^ ": appi", order (!seen) = walk);
        check (name ^ ": bucketSizes", foldl op + 0 (HashTable.bucketSizes t) = length l);
        (* nothing is shared *)
        List.app (fn (k, _) => HashTable.insert other (k, ~5)) l;
        HashTable.modify (fn (k, v) => (k, v * 2)) mapped;
        agree "copy, map";
        check (name ^ ": the copy", order (HashTable.listItemsi other) = map (fn (k, _) => (k, ~5)) l);
        check (name ^ ": the map", order (HashTable.listItemsi mapped) = map (fn (k, v) => (k, (k, 2 * (v + 1)))) l);
        HashTable.modifyi (fn (k, v) => v + String.size k) t;
        Model.change (m, fn (h, k, v) => SOME (h, k, v + String.size k));
        agree "modifyi";
        HashTable.filteri (fn (k, v) => (v + String.size k) mod 9 <> 0) t;
        Model.change (m, fn b as (_, k, v) => if (v + String.size k) mod 9 <> 0 then SOME b else NONE);
        agree "filteri";
        if i mod 1000 = 0 then (HashTable.clear t; Model.change (m, fn _ => NONE)) else ()
      end
    fun from i = if i > 1500 then () else (step i; from (i + 1))
  in
    from 1
  end

val () =
  List.app
    (fn (name, hash) =>
      (play (name, hash, equal, 300, 1);
       play (name ^ ", alike", hash, alike, 60, 40)))
    hashes
val () = print "as lists\n"

(* -- the key that was there stays *)

val () =
  let
    val t : (string, int) HashTable.hash_table = HashTable.mkTable (HashString.hashString o lower, alike) (8, Missing)
  in
    HashTable.insert t ("One", 1);
    HashTable.insert t ("ONE", 2);
    HashTable.insertWith op + t ("one", 3);
    check ("key", HashTable.listItemsi t = [("One", 5)]);
    ignore (HashTable.remove t "oNE");
    HashTable.insert t ("oNE", 4);
    check ("another key", HashTable.listItemsi t = [("oNE", 4)])
  end

(* -- a walk that changes its table: of a bucket it sees what was there when it came *)

fun fresh () : int IntHashTable.hash_table =
  let val t = IntHashTable.mkTable (32, Missing)
  in
    (* three in bucket 0, two in bucket 1, one in bucket 2; the last is first *)
    List.app (fn k => IntHashTable.insert t (k, k)) [64, 32, 0, 33, 1, 2];
    t
  end
fun walk f =
  let
    val t = fresh ()
    val seen = ref []
  in
    IntHashTable.appi (fn (k, v) => (seen := (k, v) :: !seen; f (t, k))) t;
    (rev (!seen), IntHashTable.listItemsi t)
  end
val plain = [(0, 0), (32, 32), (64, 64), (1, 1), (33, 33), (2, 2)]
(* `listItemsi` has each bucket from its end *)
val listed = [(64, 64), (32, 32), (0, 0), (33, 33), (1, 1), (2, 2)]
fun upon key f (t, k) = if k = key then f t else ()
val () = check ("a walk", walk (fn _ => ()) = (plain, listed))
val () =
  check ("its own bucket",
    walk (upon 0 (fn t => List.app (fn k => IntHashTable.insert t (k, ~1)) [0, 32, 64])) =
    (plain, [(64, ~1), (32, ~1), (0, ~1), (33, 33), (1, 1), (2, 2)]))
val () =
  check ("a later bucket",
    #1 (walk (upon 0 (fn t => (IntHashTable.insert t (33, ~1); ignore (IntHashTable.remove t 2))))) =
    [(0, 0), (32, 32), (64, 64), (1, 1), (33, ~1)])
val () =
  check ("what it sees is removed",
    walk (fn (t, k) => ignore (IntHashTable.remove t k)) = (plain, []))
val () =
  check ("what comes next is removed",
    walk (upon 0 (fn t => ignore (IntHashTable.remove t 32))) = (plain, [(64, 64), (0, 0), (33, 33), (1, 1), (2, 2)]))
(* what was put there until it has 32 items, which is when its buckets are twice as many *)
val () =
  check ("it grows",
    let val (seen, all) = walk (upon 1 (fn t => List.app (fn k => IntHashTable.insert t (k, k)) (List.tabulate (200, fn i => i))))
    in seen = plain @ List.tabulate (26, fn i => (i + 3, i + 3)) andalso map #1 all = List.tabulate (200, fn i => i) end)

(* -- a function that raises: what was changed is so, the rest is as it was, and the table is whole *)

val () =
  let
    val t = fresh ()
    fun stops f = (f (); false) handle Stop => true
    val plus = fn (k, v) => if k = 33 then raise Stop else v + 100
  in
    check ("insertWith raises", stops (fn () => IntHashTable.insertWith (fn _ => raise Stop) t (32, 5)));
    check ("and changes nothing", IntHashTable.listItemsi t = listed andalso IntHashTable.numItems t = 6);
    IntHashTable.insertWith (fn _ => raise Stop) t (3, 3);
    ignore (IntHashTable.remove t 3);
    check ("modifyi raises", stops (fn () => IntHashTable.modifyi plus t));
    check ("bucket by bucket", IntHashTable.listItemsi t = [(64, 164), (32, 132), (0, 100), (33, 33), (1, 1), (2, 2)]);
    check ("mapi raises", stops (fn () => ignore (IntHashTable.mapi plus t)));
    check ("lookup raises", (ignore (IntHashTable.lookup t 7); false) handle Missing => true)
  end

(* -- a function that changes the table it is called for *)

val () =
  let val t = fresh ()
  in
    IntHashTable.insertWith
      (fn (old, new) => (List.app (fn k => IntHashTable.insert t (k, k)) (List.tabulate (100, fn i => 100 + i)); old + new))
      t (32, 5);
    check ("grown meanwhile", IntHashTable.find t 32 = SOME 37 andalso IntHashTable.numItems t = 106)
  end

(* -- sets *)

structure Set = HashSetFn (struct type hash_key = int val hashVal = Word.fromInt fun sameKey (a : int, b) = a = b end)
val () =
  let
    fun number (x, bits) = if bits = 0 then [] else if bits mod 2 = 1 then x :: number (x + 1, bits div 2) else number (x + 1, bits div 2)
    fun set bits = Set.mkFromList (number (0, bits) @ number (0, bits))
    fun bits s = Set.fold (fn (x, n) => n + IntInf.toInt (IntInf.pow (2, x))) 0 s
    fun andb (a, b) = Word.toInt (Word.andb (Word.fromInt a, Word.fromInt b))
    fun orb (a, b) = Word.toInt (Word.orb (Word.fromInt a, Word.fromInt b))
  in
    repeat (200, fn () =>
      let
        val (a, b) = (random 1000000, random 1000000)
        val (s, t) = (set a, set b)
        val u = Set.copy s
      in
        check ("union", bits (Set.union (s, t)) = orb (a, b));
        check ("intersection", bits (Set.intersection (s, t)) = andb (a, b));
        check ("difference", bits (Set.difference (s, t)) = a - andb (a, b));
        Set.subtractSet (u, t);
        check ("subtractSet", bits u = a - andb (a, b) andalso Set.numItems u = length (number (0, bits u)));
        Set.addSet (u, t);
        check ("addSet", bits u = orb (a, b));
        check ("untouched", bits s = a andalso bits t = b);
        check ("find", Set.find (fn x => x = 5) s = (if Set.member (s, 5) then SOME 5 else NONE))
      end)
  end
val () = print "walks, exceptions, sets\n"
