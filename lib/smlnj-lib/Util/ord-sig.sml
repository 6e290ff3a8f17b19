(* The signatures of ordered keys, and of applicative maps and sets over them. *)

signature ORD_KEY =
sig
  type ord_key
  val compare : ord_key * ord_key -> order
  (* A total order; two keys are one key if it answers EQUAL. *)
end

signature ORD_MAP =
sig
  structure Key : ORD_KEY

  type 'a map

  (* Making *)

  val empty : 'a map
  (* The map without items. *)
  val isEmpty : 'a map -> bool
  (* Whether the map has no items. *)
  val singleton : (Key.ord_key * 'a) -> 'a map
  (* The map of one key and its value. *)
  val insert : 'a map * Key.ord_key * 'a -> 'a map
  (* The map with that value for the key; a value that was there is replaced. *)
  val insert' : ((Key.ord_key * 'a) * 'a map) -> 'a map
  (* As `insert`, with the key and its value first. *)
  val insertWith : ('a * 'a -> 'a) -> 'a map * Key.ord_key * 'a -> 'a map
  (* As `insert`; if the key has a value already, it gets the function of the old and the new one. *)
  val insertWithi : (Key.ord_key * 'a * 'a -> 'a) -> 'a map * Key.ord_key * 'a -> 'a map
  (* As `insertWith`; the function gets the key, too. *)

  (* Looking up *)

  val find : 'a map * Key.ord_key -> 'a option
  (* SOME of the key's value, or NONE. *)
  val lookup : 'a map * Key.ord_key -> 'a
  (* The key's value. Raises LibBase.NotFound when there is none. *)
  val inDomain : ('a map * Key.ord_key) -> bool
  (* Whether the key has a value. *)
  val findAndRemove : 'a map * Key.ord_key -> ('a map * 'a) option
  (* SOME of the map without the key, and the key's value; NONE when there is none. *)
  val remove : 'a map * Key.ord_key -> 'a map * 'a
  (* The map without the key, and the key's value. Raises LibBase.NotFound when there is none. *)

  val first : 'a map -> 'a option
  (* SOME of the value of the least key, or NONE of an empty map. *)
  val firsti : 'a map -> (Key.ord_key * 'a) option
  (* SOME of the least key and its value, or NONE of an empty map. *)

  val numItems : 'a map -> int
  (* How many items the map has. *)
  val listItems : 'a map -> 'a list
  (* The values, in increasing order of keys. *)
  val listItemsi : 'a map -> (Key.ord_key * 'a) list
  (* The keys with their values, in increasing order of keys. *)
  val listKeys : 'a map -> Key.ord_key list
  (* The keys, in increasing order. *)

  (* Two maps at once *)

  val unionWith : ('a * 'a -> 'a) -> ('a map * 'a map) -> 'a map
  (* The keys of either map; a key that both have gets the function of its values. *)
  val unionWithi : (Key.ord_key * 'a * 'a -> 'a) -> ('a map * 'a map) -> 'a map
  (* As `unionWith`; the function gets the key, too. *)
  val intersectWith : ('a * 'b -> 'c) -> ('a map * 'b map) -> 'c map
  (* The keys that both maps have, each with the function of its values. *)
  val intersectWithi : (Key.ord_key * 'a * 'b -> 'c) -> ('a map * 'b map) -> 'c map
  (* As `intersectWith`; the function gets the key, too. *)
  val mergeWith : ('a option * 'b option -> 'c option) -> ('a map * 'b map) -> 'c map
  (* For each key of either map, what the function gives for its values, of which one may be missing; NONE leaves the
     key out. *)
  val mergeWithi : (Key.ord_key * 'a option * 'b option -> 'c option) -> ('a map * 'b map) -> 'c map
  (* As `mergeWith`; the function gets the key, too. *)
  val equiv : ('a * 'b -> bool) -> ('a map * 'b map) -> bool
  (* Whether both maps have the same keys, with values that the predicate relates. *)
  val collate : ('a * 'b -> order) -> ('a map * 'b map) -> order
  (* The order of the lists of keys and values. *)
  val extends : ('a * 'b -> bool) -> ('a map * 'b map) -> bool
  (* Whether the first map has every key of the second, with values that the predicate relates. *)

  (* Over all items, in increasing order of keys; foldr in decreasing order *)

  val app : ('a -> unit) -> 'a map -> unit
  (* Calls the function on each value, in increasing order of keys. *)
  val appi : ((Key.ord_key * 'a) -> unit) -> 'a map -> unit
  (* Calls the function on each key and its value, in increasing order of keys. *)
  val map : ('a -> 'b) -> 'a map -> 'b map
  (* The same keys, each with the function of its value. *)
  val mapi : (Key.ord_key * 'a -> 'b) -> 'a map -> 'b map
  (* The same keys, each with the function of itself and its value. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a map -> 'b
  (* In increasing order of keys: calls the function with a value and the result so far. *)
  val foldli : (Key.ord_key * 'a * 'b -> 'b) -> 'b -> 'a map -> 'b
  (* In increasing order of keys: calls the function with a key, its value and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a map -> 'b
  (* In decreasing order of keys: calls the function with a value and the result so far. *)
  val foldri : (Key.ord_key * 'a * 'b -> 'b) -> 'b -> 'a map -> 'b
  (* In decreasing order of keys: calls the function with a key, its value and the result so far. *)
  val filter : ('a -> bool) -> 'a map -> 'a map
  (* The items whose values satisfy the predicate. *)
  val filteri : (Key.ord_key * 'a -> bool) -> 'a map -> 'a map
  (* The items whose keys and values satisfy the predicate. *)
  val mapPartial : ('a -> 'b option) -> 'a map -> 'b map
  (* What the function gives as SOME for each value; keys with NONE are left out. *)
  val mapPartiali : (Key.ord_key * 'a -> 'b option) -> 'a map -> 'b map
  (* What the function gives as SOME for each key and its value; keys with NONE are left out. *)
  val exists : ('a -> bool) -> 'a map -> bool
  (* Whether a value satisfies the predicate. *)
  val existsi : (Key.ord_key * 'a -> bool) -> 'a map -> bool
  (* Whether a key with its value satisfies the predicate. *)
  val all : ('a -> bool) -> 'a map -> bool
  (* Whether all values satisfy the predicate. *)
  val alli : (Key.ord_key * 'a -> bool) -> 'a map -> bool
  (* Whether all keys with their values satisfy the predicate. *)
end

signature ORD_SET =
sig
  structure Key : ORD_KEY

  type item = Key.ord_key
  type set

  (* Making *)

  val empty : set
  (* The set without items. *)
  val singleton : item -> set
  (* The set of one item. *)
  val fromList : item list -> set
  (* The set of the list's items. *)
  val toList : set -> item list
  (* The items, in increasing order. *)
  val add : set * item -> set
  (* The set with the item. *)
  val add' : item * set -> set
  (* As `add`, with the item first. *)
  val addList : set * item list -> set
  (* The set with all items of the list. *)
  val subtract : set * item -> set
  (* The set without the item; the same set if it was not there. *)
  val subtract' : item * set -> set
  (* As `subtract`, with the item first. *)
  val subtractList : set * item list -> set
  (* The set without the items of the list. *)
  val delete : set * item -> set
  (* The set without the item. Raises LibBase.NotFound if it was not there. *)

  (* Asking *)

  val member : set * item -> bool
  (* Whether the item is in the set. *)
  val isEmpty : set -> bool
  (* Whether the set has no items. *)
  val minItem : set -> item
  (* The least item. Raises Empty when there is none. *)
  val maxItem : set -> item
  (* The greatest item. Raises Empty when there is none. *)
  val equal : (set * set) -> bool
  (* Whether both sets have the same items. *)
  val compare : (set * set) -> order
  (* The order of the sorted lists of items. *)
  val isSubset : (set * set) -> bool
  (* Whether the second set has every item of the first. *)
  val disjoint : set * set -> bool
  (* Whether the sets have no item in common. *)
  val numItems : set -> int
  (* How many items the set has. *)

  (* Two sets at once *)

  val union : set * set -> set
  (* The items of either set. *)
  val intersection : set * set -> set
  (* The items that both sets have. *)
  val difference : set * set -> set
  (* The first set without the items of the second. *)
  val combineWith : (item * bool * bool -> bool) -> set * set -> set
  (* The items of either set for which the function holds; it is told which of the sets have the item. *)

  (* Over all items, in increasing order; foldr in decreasing order *)

  val map : (item -> item) -> set -> set
  (* The set of what the function gives for each item. *)
  val mapPartial : (item -> item option) -> set -> set
  (* The set of what the function gives as SOME for each item. *)
  val app : (item -> unit) -> set -> unit
  (* Calls the function on each item, in increasing order. *)
  val foldl : (item * 'b -> 'b) -> 'b -> set -> 'b
  (* In increasing order: calls the function with an item and the result so far. *)
  val foldr : (item * 'b -> 'b) -> 'b -> set -> 'b
  (* In decreasing order: calls the function with an item and the result so far. *)
  val partition : (item -> bool) -> set -> (set * set)
  (* The items that satisfy the predicate, and those that do not. *)
  val filter : (item -> bool) -> set -> set
  (* The items that satisfy the predicate. *)
  val exists : (item -> bool) -> set -> bool
  (* Whether an item satisfies the predicate. *)
  val all : (item -> bool) -> set -> bool
  (* Whether all items satisfy the predicate. *)
  val find : (item -> bool) -> set -> item option
  (* SOME of an item that satisfies the predicate, or NONE. *)
  val listItems : set -> item list
  (* The older name of `toList`. *)
end
