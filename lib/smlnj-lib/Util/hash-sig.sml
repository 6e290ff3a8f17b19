(* The signatures of hashed keys, and of imperative tables and sets over them. *)

signature HASH_KEY =
sig
  type hash_key
  val hashVal : hash_key -> word
  (* The key's hash: keys that are the same have the same one. *)
  val sameKey : (hash_key * hash_key) -> bool
  (* Whether both are one key. *)
end

(* Tables whose keys have any type; the functions on keys are given when a table is made. *)
signature HASH_TABLE =
sig
  type ('a, 'b) hash_table

  val mkTable : (('a -> word) * (('a * 'a) -> bool)) -> (int * exn) -> ('a, 'b) hash_table
  (* `mkTable (hash, same) (n, exn)` makes an empty table with room for n items; `lookup` and `remove` raise exn for a
     key that is not there. *)
  val clear : ('a, 'b) hash_table -> unit
  (* Takes all items out. *)
  val insert : ('a, 'b) hash_table -> ('a * 'b) -> unit
  (* Gives the key that value; what it had before is gone. *)
  val insertWith : ('b * 'b -> 'b) -> ('a, 'b) hash_table -> 'a * 'b -> unit
  (* As `insert`; if the key has a value already, it gets the function of the old and the new one. *)
  val insertWithi : ('a * 'b * 'b -> 'b) -> ('a, 'b) hash_table -> 'a * 'b -> unit
  (* As `insertWith`; the function gets the key, too. *)
  val inDomain : ('a, 'b) hash_table -> 'a -> bool
  (* Whether the key has a value. *)
  val lookup : ('a, 'b) hash_table -> 'a -> 'b
  (* The key's value. Raises the table's exception when there is none. *)
  val find : ('a, 'b) hash_table -> 'a -> 'b option
  (* SOME of the key's value, or NONE. *)
  val findAndRemove : ('a, 'b) hash_table -> 'a -> 'b option
  (* SOME of the key's value, which is taken out, or NONE. *)
  val remove : ('a, 'b) hash_table -> 'a -> 'b
  (* Takes the key out, and gives its value. Raises the table's exception when there is none. *)
  val numItems : ('a, 'b) hash_table -> int
  (* How many items the table has. *)

  (* In no particular order, but all in the same as long as the table does not change *)

  val listItems : ('a, 'b) hash_table -> 'b list
  (* The values, in no particular order; the same as long as the table does not change. *)
  val listItemsi : ('a, 'b) hash_table -> ('a * 'b) list
  (* The keys with their values, in no particular order. *)
  val app : ('b -> unit) -> ('a, 'b) hash_table -> unit
  (* Calls the function on each value, in no particular order. *)
  val appi : (('a * 'b) -> unit) -> ('a, 'b) hash_table -> unit
  (* Calls the function on each key and its value, in no particular order. *)
  val map : ('b -> 'c) -> ('a, 'b) hash_table -> ('a, 'c) hash_table
  (* A new table: the same keys, each with the function of its value. *)
  val mapi : (('a * 'b) -> 'c) -> ('a, 'b) hash_table -> ('a, 'c) hash_table
  (* A new table: the same keys, each with the function of itself and its value. *)
  val fold : (('b * 'c) -> 'c) -> 'c -> ('a, 'b) hash_table -> 'c
  (* Calls the function with a value and the result so far, in no particular order. *)
  val foldi : (('a * 'b * 'c) -> 'c) -> 'c -> ('a, 'b) hash_table -> 'c
  (* Calls the function with a key, its value and the result so far, in no particular order. *)
  val modify : ('b -> 'b) -> ('a, 'b) hash_table -> unit
  (* In place: each value becomes the function of it. *)
  val modifyi : (('a * 'b) -> 'b) -> ('a, 'b) hash_table -> unit
  (* In place: each value becomes the function of its key and it. *)
  val filter : ('b -> bool) -> ('a, 'b) hash_table -> unit
  (* In place: items whose values do not satisfy the predicate go. *)
  val filteri : (('a * 'b) -> bool) -> ('a, 'b) hash_table -> unit
  (* In place: items whose keys and values do not satisfy the predicate go. *)
  val copy : ('a, 'b) hash_table -> ('a, 'b) hash_table
  (* A new table with the same items. *)
  val bucketSizes : ('a, 'b) hash_table -> int list
  (* How full each bucket is, for tuning a hash function. *)
end

(* The same with the functions on keys given to a functor. *)
signature MONO_HASH_TABLE =
sig
  structure Key : HASH_KEY
  type 'a hash_table

  val mkTable : (int * exn) -> 'a hash_table
  (* Makes an empty table with room for so many items; `lookup` and `remove` raise the exception for a key that is not
     there. *)
  val clear : 'a hash_table -> unit
  (* Takes all items out. *)
  val insert : 'a hash_table -> (Key.hash_key * 'a) -> unit
  (* Gives the key that value; what it had before is gone. *)
  val insertWith : ('a * 'a -> 'a) -> 'a hash_table -> Key.hash_key * 'a -> unit
  (* As `insert`; if the key has a value already, it gets the function of the old and the new one. *)
  val insertWithi : (Key.hash_key * 'a * 'a -> 'a) -> 'a hash_table -> Key.hash_key * 'a -> unit
  (* As `insertWith`; the function gets the key, too. *)
  val inDomain : 'a hash_table -> Key.hash_key -> bool
  (* Whether the key has a value. *)
  val lookup : 'a hash_table -> Key.hash_key -> 'a
  (* The key's value. Raises the table's exception when there is none. *)
  val find : 'a hash_table -> Key.hash_key -> 'a option
  (* SOME of the key's value, or NONE. *)
  val findAndRemove : 'a hash_table -> Key.hash_key -> 'a option
  (* SOME of the key's value, which is taken out, or NONE. *)
  val remove : 'a hash_table -> Key.hash_key -> 'a
  (* Takes the key out, and gives its value. Raises the table's exception when there is none. *)
  val numItems : 'a hash_table -> int
  (* How many items the table has. *)
  val listItems : 'a hash_table -> 'a list
  (* The values, in no particular order; the same as long as the table does not change. *)
  val listItemsi : 'a hash_table -> (Key.hash_key * 'a) list
  (* The keys with their values, in no particular order. *)
  val app : ('a -> unit) -> 'a hash_table -> unit
  (* Calls the function on each value, in no particular order. *)
  val appi : ((Key.hash_key * 'a) -> unit) -> 'a hash_table -> unit
  (* Calls the function on each key and its value, in no particular order. *)
  val map : ('a -> 'b) -> 'a hash_table -> 'b hash_table
  (* A new table: the same keys, each with the function of its value. *)
  val mapi : ((Key.hash_key * 'a) -> 'b) -> 'a hash_table -> 'b hash_table
  (* A new table: the same keys, each with the function of itself and its value. *)
  val fold : (('a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  (* Calls the function with a value and the result so far, in no particular order. *)
  val foldi : ((Key.hash_key * 'a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  (* Calls the function with a key, its value and the result so far, in no particular order. *)
  val modify : ('a -> 'a) -> 'a hash_table -> unit
  (* In place: each value becomes the function of it. *)
  val modifyi : ((Key.hash_key * 'a) -> 'a) -> 'a hash_table -> unit
  (* In place: each value becomes the function of its key and it. *)
  val filter : ('a -> bool) -> 'a hash_table -> unit
  (* In place: items whose values do not satisfy the predicate go. *)
  val filteri : ((Key.hash_key * 'a) -> bool) -> 'a hash_table -> unit
  (* In place: items whose keys and values do not satisfy the predicate go. *)
  val copy : 'a hash_table -> 'a hash_table
  (* A new table with the same items. *)
  val bucketSizes : 'a hash_table -> int list
  (* How full each bucket is, for tuning a hash function. *)
end

(* Tables with two keys for each item; either finds it. *)
signature MONO_HASH2_TABLE =
sig
  structure Key1 : HASH_KEY
  structure Key2 : HASH_KEY
  type 'a hash_table

  val mkTable : (int * exn) -> 'a hash_table
  (* Makes an empty table with room for so many items; lookups and removals raise the exception for a key that is not
     there. *)
  val clear : 'a hash_table -> unit
  (* Takes all items out. *)
  val insert : 'a hash_table -> (Key1.hash_key * Key2.hash_key * 'a) -> unit
  (* Gives both keys that value; items that had either key are gone. *)
  val inDomain1 : 'a hash_table -> Key1.hash_key -> bool
  (* Whether the first key has a value. *)
  val inDomain2 : 'a hash_table -> Key2.hash_key -> bool
  (* Whether the second key has a value. *)
  val lookup1 : 'a hash_table -> Key1.hash_key -> 'a
  (* The value of the first key. Raises the table's exception when there is none. *)
  val lookup2 : 'a hash_table -> Key2.hash_key -> 'a
  (* The value of the second key. Raises the table's exception when there is none. *)
  val find1 : 'a hash_table -> Key1.hash_key -> 'a option
  (* SOME of the value of the first key, or NONE. *)
  val find2 : 'a hash_table -> Key2.hash_key -> 'a option
  (* SOME of the value of the second key, or NONE. *)
  val remove1 : 'a hash_table -> Key1.hash_key -> 'a
  (* Takes the item of the first key out, and gives its value. Raises the table's exception when there is none. *)
  val remove2 : 'a hash_table -> Key2.hash_key -> 'a
  (* Takes the item of the second key out, and gives its value. Raises the table's exception when there is none. *)
  val numItems : 'a hash_table -> int
  (* How many items the table has. *)
  val listItems : 'a hash_table -> 'a list
  (* The values, in no particular order; the same as long as the table does not change. *)
  val listItemsi : 'a hash_table -> (Key1.hash_key * Key2.hash_key * 'a) list
  (* The pairs of keys with their values, in no particular order. *)
  val app : ('a -> unit) -> 'a hash_table -> unit
  (* Calls the function on each value, in no particular order. *)
  val appi : ((Key1.hash_key * Key2.hash_key * 'a) -> unit) -> 'a hash_table -> unit
  (* Calls the function on both keys and their value, in no particular order. *)
  val map : ('a -> 'b) -> 'a hash_table -> 'b hash_table
  (* A new table: the same keys, each with the function of its value. *)
  val mapi : ((Key1.hash_key * Key2.hash_key * 'a) -> 'b) -> 'a hash_table -> 'b hash_table
  (* A new table: the same keys, each with the function of them and its value. *)
  val fold : (('a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  (* Calls the function with a value and the result so far, in no particular order. *)
  val foldi : ((Key1.hash_key * Key2.hash_key * 'a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  (* Calls the function with both keys, their value and the result so far, in no particular order. *)
  val filter : ('a -> bool) -> 'a hash_table -> unit
  (* In place: items whose values do not satisfy the predicate go. *)
  val filteri : ((Key1.hash_key * Key2.hash_key * 'a) -> bool) -> 'a hash_table -> unit
  (* In place: items whose keys and values do not satisfy the predicate go. *)
  val copy : 'a hash_table -> 'a hash_table
  (* A new table with the same items. *)
  val bucketSizes : 'a hash_table -> (int list * int list)
  (* How full each bucket is, for tuning a hash function. *)
end

signature MONO_HASH_SET =
sig
  structure Key : HASH_KEY
  type item = Key.hash_key
  type set

  val mkEmpty : int -> set
  (* Makes an empty set; the number is how many items are expected. *)
  val mkSingleton : item -> set
  (* Makes a set of one item. *)
  val mkFromList : item list -> set
  (* Makes a set of the list's items. *)
  val copy : set -> set
  (* A new set with the same items. *)
  val toList : set -> item list
  (* The items, in no particular order. *)

  (* In place *)

  val add : set * item -> unit
  (* Puts the item in. *)
  val add' : item * set -> unit
  (* As `add`, with the item first. *)
  val addc : set -> item -> unit
  (* As `add`, with its arguments one after the other. *)
  val addList : set * item list -> unit
  (* Puts all items of the list in. *)
  val addSet : set * set -> unit
  (* Puts all items of the second set into the first. *)
  val subtract : set * item -> unit
  (* Takes the item out, if it is there. *)
  val subtract' : item * set -> unit
  (* As `subtract`, with the item first. *)
  val subtractc : set -> item -> unit
  (* As `subtract`, with its arguments one after the other. *)
  val subtractList : set * item list -> unit
  (* Takes all items of the list out. *)
  val subtractSet : set * set -> unit
  (* Takes all items of the second set out of the first. *)
  val delete : set * item -> bool
  (* Takes the item out, and says whether it was there. *)

  val member : set * item -> bool
  (* Whether the item is in the set. *)
  val isEmpty : set -> bool
  (* Whether the set has no items. *)
  val isSubset : (set * set) -> bool
  (* Whether the second set has every item of the first. *)
  val disjoint : set * set -> bool
  (* Whether the sets have no item in common. *)
  val numItems : set -> int
  (* How many items the set has. *)

  (* New sets *)

  val union : set * set -> set
  (* A new set: the items of either one. *)
  val intersection : set * set -> set
  (* A new set: the items that both have. *)
  val difference : set * set -> set
  (* A new set: the first one without the items of the second. *)
  val map : (item -> item) -> set -> set
  (* A new set: what the function gives for each item. *)
  val mapPartial : (item -> item option) -> set -> set
  (* A new set: what the function gives as SOME for each item. *)

  val app : (item -> unit) -> set -> unit
  (* Calls the function on each item, in no particular order. *)
  val fold : (item * 'b -> 'b) -> 'b -> set -> 'b
  (* Calls the function with an item and the result so far, in no particular order. *)
  val partition : (item -> bool) -> set -> (set * set)
  (* Two new sets: the items that satisfy the predicate, and those that do not. *)
  val filter : (item -> bool) -> set -> unit
  (* In place: items that do not satisfy the predicate go. *)
  val exists : (item -> bool) -> set -> bool
  (* Whether an item satisfies the predicate. *)
  val all : (item -> bool) -> set -> bool
  (* Whether all items satisfy the predicate. *)
  val find : (item -> bool) -> set -> item option
  (* SOME of an item that satisfies the predicate, or NONE. *)

  (* Older names *)

  val listItems : set -> item list
  (* The older name of `toList`. *)
  val without : set * item -> unit
  (* The older name of `subtract`. *)
end
