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
  val isEmpty : 'a map -> bool
  val singleton : (Key.ord_key * 'a) -> 'a map
  val insert : 'a map * Key.ord_key * 'a -> 'a map
  val insert' : ((Key.ord_key * 'a) * 'a map) -> 'a map
  (* The new value replaces the one that was there. *)
  val insertWith : ('a * 'a -> 'a) -> 'a map * Key.ord_key * 'a -> 'a map
  val insertWithi : (Key.ord_key * 'a * 'a -> 'a) -> 'a map * Key.ord_key * 'a -> 'a map
  (* With a value already there: the function of the old and the new value. *)

  (* Looking up *)

  val find : 'a map * Key.ord_key -> 'a option
  val lookup : 'a map * Key.ord_key -> 'a
  (* Raises LibBase.NotFound. *)
  val inDomain : ('a map * Key.ord_key) -> bool
  val findAndRemove : 'a map * Key.ord_key -> ('a map * 'a) option
  val remove : 'a map * Key.ord_key -> 'a map * 'a
  (* Raises LibBase.NotFound. *)

  val first : 'a map -> 'a option
  val firsti : 'a map -> (Key.ord_key * 'a) option
  (* What belongs to the least key. *)

  val numItems : 'a map -> int
  val listItems : 'a map -> 'a list
  val listItemsi : 'a map -> (Key.ord_key * 'a) list
  val listKeys : 'a map -> Key.ord_key list
  (* All three in increasing order of keys. *)

  (* Two maps at once *)

  val unionWith : ('a * 'a -> 'a) -> ('a map * 'a map) -> 'a map
  val unionWithi : (Key.ord_key * 'a * 'a -> 'a) -> ('a map * 'a map) -> 'a map
  val intersectWith : ('a * 'b -> 'c) -> ('a map * 'b map) -> 'c map
  val intersectWithi : (Key.ord_key * 'a * 'b -> 'c) -> ('a map * 'b map) -> 'c map
  val mergeWith : ('a option * 'b option -> 'c option) -> ('a map * 'b map) -> 'c map
  val mergeWithi : (Key.ord_key * 'a option * 'b option -> 'c option) -> ('a map * 'b map) -> 'c map
  (* The function is asked for every key of either map. *)
  val equiv : ('a * 'b -> bool) -> ('a map * 'b map) -> bool
  (* The same keys, and values that the predicate relates. *)
  val collate : ('a * 'b -> order) -> ('a map * 'b map) -> order
  (* The order of the lists of (key, value). *)
  val extends : ('a * 'b -> bool) -> ('a map * 'b map) -> bool
  (* The first map has every key of the second, with values that the predicate relates. *)

  (* Over all items, in increasing order of keys; foldr in decreasing order *)

  val app : ('a -> unit) -> 'a map -> unit
  val appi : ((Key.ord_key * 'a) -> unit) -> 'a map -> unit
  val map : ('a -> 'b) -> 'a map -> 'b map
  val mapi : (Key.ord_key * 'a -> 'b) -> 'a map -> 'b map
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a map -> 'b
  val foldli : (Key.ord_key * 'a * 'b -> 'b) -> 'b -> 'a map -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a map -> 'b
  val foldri : (Key.ord_key * 'a * 'b -> 'b) -> 'b -> 'a map -> 'b
  val filter : ('a -> bool) -> 'a map -> 'a map
  val filteri : (Key.ord_key * 'a -> bool) -> 'a map -> 'a map
  val mapPartial : ('a -> 'b option) -> 'a map -> 'b map
  val mapPartiali : (Key.ord_key * 'a -> 'b option) -> 'a map -> 'b map
  val exists : ('a -> bool) -> 'a map -> bool
  val existsi : (Key.ord_key * 'a -> bool) -> 'a map -> bool
  val all : ('a -> bool) -> 'a map -> bool
  val alli : (Key.ord_key * 'a -> bool) -> 'a map -> bool
end

signature ORD_SET =
sig
  structure Key : ORD_KEY

  type item = Key.ord_key
  type set

  (* Making *)

  val empty : set
  val singleton : item -> set
  val fromList : item list -> set
  val toList : set -> item list
  (* In increasing order. *)
  val add : set * item -> set
  val add' : item * set -> set
  val addList : set * item list -> set
  val subtract : set * item -> set
  val subtract' : item * set -> set
  (* Without the item; the same set if it was not there. *)
  val subtractList : set * item list -> set
  val delete : set * item -> set
  (* Raises LibBase.NotFound if it was not there. *)

  (* Asking *)

  val member : set * item -> bool
  val isEmpty : set -> bool
  val minItem : set -> item
  val maxItem : set -> item
  (* Both raise Empty. *)
  val equal : (set * set) -> bool
  val compare : (set * set) -> order
  (* The order of the sorted lists. *)
  val isSubset : (set * set) -> bool
  (* Whether the second has every item of the first. *)
  val disjoint : set * set -> bool
  val numItems : set -> int

  (* Two sets at once *)

  val union : set * set -> set
  val intersection : set * set -> set
  val difference : set * set -> set
  (* The first without the second's items. *)
  val combineWith : (item * bool * bool -> bool) -> set * set -> set
  (* The function is told, for every item of either set, which of them have it. *)

  (* Over all items, in increasing order; foldr in decreasing order *)

  val map : (item -> item) -> set -> set
  val mapPartial : (item -> item option) -> set -> set
  val app : (item -> unit) -> set -> unit
  val foldl : (item * 'b -> 'b) -> 'b -> set -> 'b
  val foldr : (item * 'b -> 'b) -> 'b -> set -> 'b
  val partition : (item -> bool) -> set -> (set * set)
  val filter : (item -> bool) -> set -> set
  val exists : (item -> bool) -> set -> bool
  val all : (item -> bool) -> set -> bool
  val find : (item -> bool) -> set -> item option
  val listItems : set -> item list
  (* The older name of toList. *)
end
