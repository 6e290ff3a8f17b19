(* HashSetFn: imperative sets; HashRep' with values that say nothing, of a byte, the smallest that an array can have. *)

functor HashSetFn (Key : HASH_KEY) : MONO_HASH_SET =
struct
  structure Key = Key
  structure R = HashRep'

  type item = Key.hash_key
  datatype set = Set of (item, Word8.word) R.rep

  fun hashed x = (Key.hashVal x, x)

  fun mkEmpty n = Set (R.new n)
  fun addc (Set rep) x = R.include' (Key.hashVal, Key.sameKey) rep (x, 0w0)
  fun add (s, x) = addc s x
  fun add' (x, s) = addc s x
  fun addList (s, l) = List.app (addc s) l
  fun mkSingleton x = let val s = mkEmpty 1 in addc s x; s end
  fun mkFromList l = let val s = mkEmpty (length l) in addList (s, l); s end
  fun copy (Set rep) = Set (R.copy rep)

  fun fold f init (Set rep) = R.fold (fn (x, _, y) => f (x, y)) init rep
  fun toList s = fold (op ::) [] s
  val listItems = toList
  fun app f = fold (fn (x, ()) => f x) ()
  fun find f (Set rep) = R.findKey (fn (x, _) => f x) rep
  fun exists f s = isSome (find f s)
  fun all f = not o exists (not o f)

  fun delete (Set rep, x) = isSome (R.remove Key.sameKey rep (hashed x))
  fun subtract (s, x) = ignore (delete (s, x))
  fun subtract' (x, s) = subtract (s, x)
  fun subtractc s x = subtract (s, x)
  fun subtractList (s, l) = List.app (subtractc s) l
  val without = subtract

  fun member (Set rep, x) = R.member Key.sameKey rep (hashed x)
  fun numItems (Set rep) = R.count rep
  fun isEmpty s = numItems s = 0
  fun isSubset (s, t) = numItems s <= numItems t andalso all (fn x => member (t, x)) s
  fun disjoint (s, t) =
    if numItems s > numItems t then disjoint (t, s) else not (exists (fn x => member (t, x)) s)

  fun filter f (Set rep) = R.filter (fn (x, _) => f x) rep
  fun addSet (s, t) = app (addc s) t
  fun subtractSet (s, t) = filter (fn x => not (member (t, x))) s

  fun union (s, t) =
    if numItems s < numItems t then union (t, s) else let val u = copy s in addSet (u, t); u end
  fun intersection (s, t) =
    if numItems s > numItems t then intersection (t, s)
    else let val u = mkEmpty 16 in app (fn x => if member (t, x) then addc u x else ()) s; u end
  fun difference (s, t) = let val u = copy s in subtractSet (u, t); u end

  fun map f s = let val t = mkEmpty (numItems s) in app (fn x => addc t (f x)) s; t end
  fun mapPartial f s =
    let val t = mkEmpty 16 in app (fn x => case f x of SOME y => addc t y | NONE => ()) s; t end
  fun partition f s =
    let
      val yes = mkEmpty 16
      val no = mkEmpty 16
    in
      app (fn x => addc (if f x then yes else no) x) s;
      (yes, no)
    end
end
