(* Applicative maps with ordered keys: BinaryMapFn, RedBlackMapFn, SplayMapFn, ListMapFn.
   The four functors differ in name only: all are the weight-balanced trees of OrdTreeFn'. *)

(* What the functors give. *)
signature LEAT_ORD_MAP =
sig
  include ORD_MAP
  val last : 'a map -> 'a option
  (* SOME of the value of the greatest key, or NONE of an empty map. *)
  val lasti : 'a map -> (Key.ord_key * 'a) option
  (* SOME of the greatest key and its value, or NONE of an empty map. *)
end

functor OrdMapFn' (K : ORD_KEY) =
struct
  structure Key = K
  structure T = OrdTreeFn' (K)

  type 'a map = 'a T.tree

  val empty = T.E
  fun isEmpty T.E = true
    | isEmpty _ = false
  val singleton = T.single
  val insert = T.insert
  fun insert' ((k, v), m) = T.insert (m, k, v)
  fun insertWith f = T.insertWith (fn (_, v, w) => f (v, w))
  val insertWithi = T.insertWith

  val find = T.find
  val inDomain = T.member
  fun lookup (m, k) = case T.find (m, k) of SOME v => v | NONE => raise LibBase.NotFound
  val remove = T.remove
  fun findAndRemove (m, k) = SOME (T.remove (m, k)) handle LibBase.NotFound => NONE

  val firsti = T.min
  fun first m = case T.min m of SOME (_, v) => SOME v | NONE => NONE
  val lasti = T.max
  fun last m = Option.map #2 (T.max m)

  val numItems = T.size
  fun listItems m = T.foldr (fn (_, v, l) => v :: l) [] m
  fun listItemsi m = T.foldr (fn (k, v, l) => (k, v) :: l) [] m
  fun listKeys m = T.foldr (fn (k, _, l) => k :: l) [] m

  fun unionWith f = T.union (fn (_, v, w) => f (v, w))
  val unionWithi = T.union
  fun intersectWith f = T.intersect (fn (_, v, w) => f (v, w))
  val intersectWithi = T.intersect
  fun mergeWith f = T.merge (fn (_, v, w) => f (v, w))
  val mergeWithi = T.merge
  val extends = T.extends
  val collate = T.collate
  fun equiv f (m, n) = T.size m = T.size n andalso T.extends f (m, n)

  fun app f = T.app (fn (_, v) => f v)
  val appi = T.app
  fun map f = T.map (fn (_, v) => f v)
  val mapi = T.map
  fun foldl f = T.foldl (fn (_, v, x) => f (v, x))
  val foldli = T.foldl
  fun foldr f = T.foldr (fn (_, v, x) => f (v, x))
  val foldri = T.foldr
  fun filter f = T.filter (fn (_, v) => f v)
  val filteri = T.filter
  fun mapPartial f = T.mapPartial (fn (_, v) => f v)
  val mapPartiali = T.mapPartial
  fun exists f = T.exists (fn (_, v) => f v)
  val existsi = T.exists
  fun all f = T.all (fn (_, v) => f v)
  val alli = T.all
end

functor BinaryMapFn (K : ORD_KEY) :> LEAT_ORD_MAP where type Key.ord_key = K.ord_key =
  OrdMapFn' (K)
functor RedBlackMapFn (K : ORD_KEY) :> LEAT_ORD_MAP where type Key.ord_key = K.ord_key =
  OrdMapFn' (K)
functor SplayMapFn (K : ORD_KEY) :> LEAT_ORD_MAP where type Key.ord_key = K.ord_key =
  OrdMapFn' (K)
functor ListMapFn (K : ORD_KEY) :> LEAT_ORD_MAP where type Key.ord_key = K.ord_key =
  OrdMapFn' (K)
