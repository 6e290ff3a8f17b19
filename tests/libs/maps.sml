(* Ordered maps and sets, hash tables and hash sets against the plainest model there is: an association list that is
   sorted by key. Random operations, small keys, so that most of them meet. *)

val seed = ref 0w12345
fun random n = (seed := Rand.random (!seed); Rand.range (0, n - 1) (!seed))

fun check (name, ok) = if ok then () else (print ("wrong: " ^ name ^ "\n"); raise Fail name)
fun times (0, _) = ()
  | times (n, f) = (f (); times (n - 1, f))

structure Model =
struct
  fun insert f ([], k, v) = [(k, v)]
    | insert f ((k', v') :: rest, k : int, v) =
        if k < k' then (k, v) :: (k', v') :: rest
        else if k = k' then (k, f (k, v', v)) :: rest
        else (k', v') :: insert f (rest, k, v)
  fun put l = insert (fn (_, _, v) => v) l
  fun find (l, k : int) = Option.map #2 (List.find (fn (k', _) => k = k') l)
  fun remove (l, k : int) = List.filter (fn (k', _) => k <> k') l
  fun keys l = map #1 l
  fun random' n = foldl (fn (_, l) => put (l, random 40, random 1000)) [] (List.tabulate (random n, fn i => i))
end

functor TestMap (M : ORD_MAP where type Key.ord_key = int) =
struct
  fun build l = foldl M.insert' M.empty l
  fun same (name, m, l) =
    (check (name ^ " items", M.listItemsi m = l);
     check (name ^ " number", M.numItems m = length l);
     check (name ^ " empty", M.isEmpty m = null l))

  fun round () =
    let
      val a = Model.random' 50
      val b = Model.random' 50
      val ma = build a
      val mb = build b
      val k = random 45
      fun add (k, v, w) = k + v - w
      fun both (f, g) = List.filter f (a @ g)
      val onlyB = List.filter (fn (k, _) => not (isSome (Model.find (a, k)))) b
      fun sorted l = foldl (fn ((k, v), l) => Model.put (l, k, v)) [] l
      fun vals f = List.mapPartial f (Model.keys (sorted (a @ onlyB)))
    in
      same ("build", ma, a);
      same ("insert", M.insert (ma, k, 7), Model.put (a, k, 7));
      same ("insertWithi", M.insertWithi add (ma, k, 7), Model.insert add (a, k, 7));
      check ("find", M.find (ma, k) = Model.find (a, k));
      check ("inDomain", M.inDomain (ma, k) = isSome (Model.find (a, k)));
      check ("lookup", (SOME (M.lookup (ma, k)) handle LibBase.NotFound => NONE) = Model.find (a, k));
      (case M.findAndRemove (ma, k) of
         SOME (m, v) => (same ("remove", m, Model.remove (a, k)); check ("removed", SOME v = Model.find (a, k)))
       | NONE => check ("not there", not (isSome (Model.find (a, k)))));
      check ("first", M.firsti ma = (case a of x :: _ => SOME x | [] => NONE));
      same ("unionWithi", M.unionWithi add (ma, mb), foldl (fn ((k, v), l) => Model.insert add (l, k, v)) a b);
      same
        ("intersectWithi", M.intersectWithi add (ma, mb),
         List.mapPartial (fn (k, v) => Option.map (fn w => (k, add (k, v, w))) (Model.find (b, k))) a);
      same
        ("mergeWithi",
         M.mergeWithi
           (fn (k, x, y) => if k mod 3 = 0 then NONE else SOME (getOpt (x, 1) - getOpt (y, 2)))
           (ma, mb),
         vals
           (fn k =>
              if k mod 3 = 0 then NONE
              else SOME (k, getOpt (Model.find (a, k), 1) - getOpt (Model.find (b, k), 2))));
      check ("extends", M.extends (fn (v, w) => true) (ma, mb) = List.all (fn (k, _) => isSome (Model.find (a, k))) b);
      check ("extends itself", M.extends (op =) (M.unionWith #1 (ma, mb), ma));
      check ("equiv", M.equiv (op =) (ma, mb) = (a = b));
      check
        ("collate",
         M.collate Int.compare (ma, mb)
         = List.collate
             (fn ((j, v), (k, w)) => case Int.compare (j, k) of EQUAL => Int.compare (v, w) | unequal => unequal)
             (a, b));
      same ("filter", M.filteri (fn (k, v) => (k + v) mod 2 = 0) ma, List.filter (fn (k, v) => (k + v) mod 2 = 0) a);
      same ("mapPartial", M.mapPartial (fn v => if v mod 3 = 0 then NONE else SOME (v + 1)) ma,
            List.mapPartial (fn (k, v) => if v mod 3 = 0 then NONE else SOME (k, v + 1)) a);
      same ("mapi", M.mapi (fn (k, v) => k * v) ma, map (fn (k, v) => (k, k * v)) a);
      check ("foldl", M.foldli (fn (k, v, l) => (k, v) :: l) [] ma = rev a);
      check ("foldr", M.foldri (fn (k, v, l) => (k, v) :: l) [] ma = a);
      check ("keys", M.listKeys ma = Model.keys a);
      check ("exists", M.exists (fn v => v = 5) ma = List.exists (fn (_, v) => v = 5) a);
      check ("all", M.alli (fn (k, v) => k < 30) ma = List.all (fn (k, _) => k < 30) a)
    end
  val () = times (60, round)
end

functor TestSet (S : ORD_SET where type Key.ord_key = int) =
struct
  fun items () = Model.keys (Model.random' 50)
  fun same (name, s, l) = (check (name, S.toList s = l); check (name ^ " number", S.numItems s = length l))
  fun has l x = List.exists (fn y => x = y) l

  fun round () =
    let
      val a = items ()
      val b = items ()
      val sa = S.fromList a
      val sb = S.addList (S.empty, rev b)
      val x = random 45
      val union = ListMergeSort.uniqueSort Int.compare (a @ b)
      fun even x = x mod 2 = 0
    in
      same ("fromList", sa, a);
      same ("addList", sb, b);
      same ("add", S.add (sa, x), ListMergeSort.uniqueSort Int.compare (x :: a));
      same ("subtract", S.subtract (sa, x), List.filter (fn y => x <> y) a);
      check ("delete", (ignore (S.delete (sa, x)); true) handle LibBase.NotFound => not (has a x));
      check ("member", S.member (sa, x) = has a x);
      check ("min", (SOME (S.minItem sa) handle Empty => NONE) = (SOME (hd a) handle Empty => NONE));
      check ("max", (SOME (S.maxItem sa) handle Empty => NONE) = (SOME (List.last a) handle Empty => NONE));
      same ("union", S.union (sa, sb), union);
      same ("intersection", S.intersection (sa, sb), List.filter (has b) a);
      same ("difference", S.difference (sa, sb), List.filter (not o has b) a);
      same ("combineWith", S.combineWith (fn (x, p, q) => p andalso not q orelse even x) (sa, sb),
            List.filter (fn x => has a x andalso not (has b x) orelse even x) union);
      check ("subset", S.isSubset (sa, sb) = List.all (has b) a);
      check ("subset of union", S.isSubset (sa, S.union (sb, sa)));
      check ("equal", S.equal (sa, sb) = (a = b));
      check ("disjoint", S.disjoint (sa, sb) = not (List.exists (has b) a));
      check ("compare", S.compare (sa, sb) = List.collate Int.compare (a, b));
      same ("map", S.map (fn x => x div 3) sa, ListMergeSort.uniqueSort Int.compare (map (fn x => x div 3) a));
      same ("filter", S.filter even sa, List.filter even a);
      (let val (p, q) = S.partition even sa
       in same ("partition", p, List.filter even a); same ("partition", q, List.filter (not o even) a) end);
      check ("find", S.find (fn x => x > 20) sa = List.find (fn x => x > 20) a);
      check ("foldl", S.foldl (op ::) [] sa = rev a)
    end
  val () = times (60, round)
end

structure M1 = TestMap (IntRedBlackMap)
structure M2 = TestMap (SplayMapFn (struct type ord_key = int val compare = Int.compare end))
structure S1 = TestSet (IntBinarySet)
structure S2 = TestSet (ListSetFn (struct type ord_key = int val compare = Int.compare end))
val () = print "maps and sets\n"

(* Hash tables keep no order: both sides are sorted. *)
fun sortItems l = ListMergeSort.sort (fn ((j, _), (k, _)) => j > k : bool) l

(* Keys that differ in high bits only, or not at all in the hash. *)
structure Bad = HashTableFn (struct type hash_key = int fun hashVal k = Word.fromInt (k mod 3 * 1048576) val sameKey : int * int -> bool = op = end)

functor TestTable (H : MONO_HASH_TABLE where type Key.hash_key = int) =
struct
  exception Missing
  fun round () =
    let
      val t : int H.hash_table = H.mkTable (random 4, Missing)
      val model = ref []
      fun same name =
        (check (name, sortItems (H.listItemsi t) = !model);
         check (name ^ " number", H.numItems t = length (!model));
         check (name ^ " buckets", foldl op + 0 (H.bucketSizes t) = length (!model)))
      fun step () =
        let
          val k = random 200
          val v = random 1000
        in
          (case random 5 of
             0 =>
               (check ("remove", (SOME (H.remove t k) handle Missing => NONE) = Model.find (!model, k));
                model := Model.remove (!model, k))
           | 1 => (H.insertWith op - t (k, v); model := Model.insert (fn (_, x, y) => x - y) (!model, k, v))
           | _ => (H.insert t (k, v); model := Model.put (!model, k, v)));
          check ("find", H.find t k = Model.find (!model, k));
          check ("inDomain", H.inDomain t k = isSome (Model.find (!model, k)))
        end
    in
      times (300, step);
      same "steps";
      check ("map", sortItems (H.listItemsi (H.mapi (fn (k, v) => k - v) t)) = map (fn (k, v) => (k, k - v)) (!model));
      (let val c = H.copy t in H.clear c; check ("clear", H.numItems c = 0) end);
      same "copy";
      H.modify (fn v => v + 1) t;
      model := map (fn (k, v) => (k, v + 1)) (!model);
      same "modify";
      H.filteri (fn (k, v) => k mod 2 = 0) t;
      model := List.filter (fn (k, _) => k mod 2 = 0) (!model);
      same "filter";
      check ("fold", H.fold op + 0 t = foldl (fn ((_, v), n) => v + n) 0 (!model))
    end
  val () = times (10, round)
end

structure T1 = TestTable (IntHashTable)
structure T2 = TestTable (Bad)

(* A table of any key; a walk that changes the table sees what was there. *)
val t : (string, int) HashTable.hash_table = HashTable.mkTable (HashString.hashString, op =) (1, Fail "missing")
val () = app (fn i => HashTable.insert t (Int.toString i, i)) (List.tabulate (500, fn i => i))
val () = HashTable.appi (fn (s, _) => ignore (HashTable.remove t s)) t
val () = check ("emptied", HashTable.numItems t = 0)
val () = check ("exception", (HashTable.lookup t "5" handle Fail "missing" => ~1) = ~1)

structure H2 = Hash2TableFn (structure Key1 = IntHashTable.Key structure Key2 = AtomTable.Key)
val t2 : string H2.hash_table = H2.mkTable (4, Fail "missing")
val () = H2.insert t2 (1, Atom.atom "one", "a")
val () = H2.insert t2 (2, Atom.atom "two", "b")
val () = H2.insert t2 (1, Atom.atom "two", "c")
val () = check ("two keys", H2.numItems t2 = 1 andalso H2.find1 t2 2 = NONE andalso H2.find2 t2 (Atom.atom "two") = SOME "c")
val () = H2.filter (fn v => v <> "c") t2
val () = check ("two keys, filtered", H2.find2 t2 (Atom.atom "two") = NONE)

structure HS = HashSetFn (AtomTable.Key)
val atoms = HS.mkFromList (map Atom.atom ["x", "y", "z", "x"])
val () = check ("hash set", HS.numItems atoms = 3 andalso HS.delete (atoms, Atom.atom "x") andalso not (HS.member (atoms, Atom.atom "x")))
val () = check ("hash set union", HS.numItems (HS.union (atoms, HS.mkSingleton (Atom.atom "w"))) = 3)
val () = check ("hash set subset", HS.isSubset (HS.mkSingleton (Atom.atom "y"), atoms))
val () = check ("atoms", Atom.same (Atom.atom "a", Atom.atom' (Substring.full "a")) andalso Atom.lexCompare (Atom.atom "a", Atom.atom "b") = LESS)
val () = print "tables\n"

(* Keys in order, which unbalanced trees make a list of. *)
val big = List.foldl (fn (i, m) => IntRedBlackMap.insert (m, i, i)) IntRedBlackMap.empty (List.tabulate (20000, fn i => i))
val () = check ("big", List.all (fn i => IntRedBlackMap.find (big, i) = SOME i) (List.tabulate (20000, fn i => i)))
val () = print "big\n"
