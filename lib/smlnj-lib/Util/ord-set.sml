(* Applicative sets of ordered items: BinarySetFn, RedBlackSetFn, SplaySetFn, ListSetFn.
   The four functors differ in name only: all are the weight-balanced trees of OrdTreeFn', with units for values. *)

functor OrdSetFn' (K : ORD_KEY) =
struct
  structure Key = K
  structure T = OrdTreeFn' (K)

  type item = K.ord_key
  type set = unit T.tree

  val empty = T.E : set
  fun singleton x = T.single (x, ())
  fun add (s, x) = T.insert (s, x, ())
  fun add' (x, s) = add (s, x)
  fun addList (s, l) = List.foldl add' s l

  (* A list in strictly increasing order becomes a tree at once. *)
  fun fromList l =
    let
      fun increasing (x :: (rest as y :: _)) = K.compare (x, y) = LESS andalso increasing rest
        | increasing _ = true
    in
      if increasing l then #1 (T.build (length l, List.map (fn x => (x, ())) l))
      else addList (empty, l)
    end

  fun toList s = T.foldr (fn (x, (), l) => x :: l) [] s
  val listItems = toList

  fun delete (s, x) = #1 (T.remove (s, x))
  fun subtract (s, x) = delete (s, x) handle LibBase.NotFound => s
  fun subtract' (x, s) = subtract (s, x)
  fun subtractList (s, l) = List.foldl subtract' s l

  fun member (s : set, x) = T.member (s, x)
  fun isEmpty (T.E : set) = true
    | isEmpty _ = false
  fun minItem (s : set) = case T.min s of SOME (x, _) => x | NONE => raise Empty
  fun maxItem (s : set) = case T.max s of SOME (x, _) => x | NONE => raise Empty

  fun isSubset (s : set, t : set) = T.extends (fn _ => true) (t, s)
  fun equal (s : set, t : set) = T.size s = T.size t andalso isSubset (s, t)
  fun compare (s : set, t : set) = T.collate (fn _ => EQUAL) (s, t)
  fun disjoint (s : set, t : set) = T.disjoint (s, t)
  fun numItems (s : set) = T.size s

  fun union (s : set, t) = T.union (fn _ => ()) (s, t)
  fun intersection (s : set, t : set) = T.intersect (fn _ => ()) (s, t)
  fun difference (s : set, t : set) = T.difference (s, t)
  fun combineWith f (s : set, t : set) =
    T.merge (fn (x, a, b) => if f (x, isSome a, isSome b) then SOME () else NONE) (s, t)

  fun app f (s : set) = T.app (fn (x, ()) => f x) s
  fun foldl f init (s : set) = T.foldl (fn (x, (), y) => f (x, y)) init s
  fun foldr f init (s : set) = T.foldr (fn (x, (), y) => f (x, y)) init s
  fun map f s = foldl (fn (x, t) => add (t, f x)) empty s
  fun mapPartial f s = foldl (fn (x, t) => case f x of SOME y => add (t, y) | NONE => t) empty s
  fun filter f (s : set) = T.filter (fn (x, ()) => f x) s
  fun exists f (s : set) = T.exists (fn (x, ()) => f x) s
  fun all f (s : set) = T.all (fn (x, ()) => f x) s
  fun find f (s : set) = T.findFirst (fn (x, ()) => f x) s

  (* The predicate is asked once for each item. *)
  fun partition f (s : set) =
    let
      fun walk T.E = (T.E, T.E)
        | walk (T.T (_, l, x, (), r)) =
            let
              val (l1, l2) = walk l
              val here = f x
              val (r1, r2) = walk r
            in
              if here then (T.join (l1, x, (), r1), T.join2 (l2, r2))
              else (T.join2 (l1, r1), T.join (l2, x, (), r2))
            end
    in
      walk s
    end
end

functor BinarySetFn (K : ORD_KEY) :> ORD_SET where type Key.ord_key = K.ord_key = OrdSetFn' (K)
functor RedBlackSetFn (K : ORD_KEY) :> ORD_SET where type Key.ord_key = K.ord_key = OrdSetFn' (K)
functor SplaySetFn (K : ORD_KEY) :> ORD_SET where type Key.ord_key = K.ord_key = OrdSetFn' (K)
functor ListSetFn (K : ORD_KEY) :> ORD_SET where type Key.ord_key = K.ord_key = OrdSetFn' (K)
