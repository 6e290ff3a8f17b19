(* The signatures of hashed keys, and of imperative tables and sets over them. *)

signature HASH_KEY =
sig
  type hash_key
  val hashVal : hash_key -> word
  val sameKey : (hash_key * hash_key) -> bool
  (* Keys that are the same have the same hash. *)
end

(* Tables whose keys have any type; the functions on keys are given when a table is made. *)
signature HASH_TABLE =
sig
  type ('a, 'b) hash_table

  val mkTable : (('a -> word) * (('a * 'a) -> bool)) -> (int * exn) -> ('a, 'b) hash_table
  (* mkTable (hash, same) (n, exn): an empty table with room for n items;
     lookup and remove raise exn for a key that is not there. *)
  val clear : ('a, 'b) hash_table -> unit
  val insert : ('a, 'b) hash_table -> ('a * 'b) -> unit
  (* What the key had before is gone. *)
  val insertWith : ('b * 'b -> 'b) -> ('a, 'b) hash_table -> 'a * 'b -> unit
  val insertWithi : ('a * 'b * 'b -> 'b) -> ('a, 'b) hash_table -> 'a * 'b -> unit
  (* If the key has a value: the function of the old and the new one. *)
  val inDomain : ('a, 'b) hash_table -> 'a -> bool
  val lookup : ('a, 'b) hash_table -> 'a -> 'b
  val find : ('a, 'b) hash_table -> 'a -> 'b option
  val findAndRemove : ('a, 'b) hash_table -> 'a -> 'b option
  val remove : ('a, 'b) hash_table -> 'a -> 'b
  val numItems : ('a, 'b) hash_table -> int

  (* In no particular order, but all in the same as long as the table does not change *)

  val listItems : ('a, 'b) hash_table -> 'b list
  val listItemsi : ('a, 'b) hash_table -> ('a * 'b) list
  val app : ('b -> unit) -> ('a, 'b) hash_table -> unit
  val appi : (('a * 'b) -> unit) -> ('a, 'b) hash_table -> unit
  val map : ('b -> 'c) -> ('a, 'b) hash_table -> ('a, 'c) hash_table
  val mapi : (('a * 'b) -> 'c) -> ('a, 'b) hash_table -> ('a, 'c) hash_table
  val fold : (('b * 'c) -> 'c) -> 'c -> ('a, 'b) hash_table -> 'c
  val foldi : (('a * 'b * 'c) -> 'c) -> 'c -> ('a, 'b) hash_table -> 'c
  val modify : ('b -> 'b) -> ('a, 'b) hash_table -> unit
  val modifyi : (('a * 'b) -> 'b) -> ('a, 'b) hash_table -> unit
  (* In place. *)
  val filter : ('b -> bool) -> ('a, 'b) hash_table -> unit
  val filteri : (('a * 'b) -> bool) -> ('a, 'b) hash_table -> unit
  (* In place: what does not satisfy the predicate goes. *)
  val copy : ('a, 'b) hash_table -> ('a, 'b) hash_table
  val bucketSizes : ('a, 'b) hash_table -> int list
  (* How full each bucket is, for tuning a hash function. *)
end

(* The same with the functions on keys given to a functor. *)
signature MONO_HASH_TABLE =
sig
  structure Key : HASH_KEY
  type 'a hash_table

  val mkTable : (int * exn) -> 'a hash_table
  val clear : 'a hash_table -> unit
  val insert : 'a hash_table -> (Key.hash_key * 'a) -> unit
  val insertWith : ('a * 'a -> 'a) -> 'a hash_table -> Key.hash_key * 'a -> unit
  val insertWithi : (Key.hash_key * 'a * 'a -> 'a) -> 'a hash_table -> Key.hash_key * 'a -> unit
  val inDomain : 'a hash_table -> Key.hash_key -> bool
  val lookup : 'a hash_table -> Key.hash_key -> 'a
  val find : 'a hash_table -> Key.hash_key -> 'a option
  val findAndRemove : 'a hash_table -> Key.hash_key -> 'a option
  val remove : 'a hash_table -> Key.hash_key -> 'a
  val numItems : 'a hash_table -> int
  val listItems : 'a hash_table -> 'a list
  val listItemsi : 'a hash_table -> (Key.hash_key * 'a) list
  val app : ('a -> unit) -> 'a hash_table -> unit
  val appi : ((Key.hash_key * 'a) -> unit) -> 'a hash_table -> unit
  val map : ('a -> 'b) -> 'a hash_table -> 'b hash_table
  val mapi : ((Key.hash_key * 'a) -> 'b) -> 'a hash_table -> 'b hash_table
  val fold : (('a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  val foldi : ((Key.hash_key * 'a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  val modify : ('a -> 'a) -> 'a hash_table -> unit
  val modifyi : ((Key.hash_key * 'a) -> 'a) -> 'a hash_table -> unit
  val filter : ('a -> bool) -> 'a hash_table -> unit
  val filteri : ((Key.hash_key * 'a) -> bool) -> 'a hash_table -> unit
  val copy : 'a hash_table -> 'a hash_table
  val bucketSizes : 'a hash_table -> int list
end

(* Tables with two keys for each item; either finds it. *)
signature MONO_HASH2_TABLE =
sig
  structure Key1 : HASH_KEY
  structure Key2 : HASH_KEY
  type 'a hash_table

  val mkTable : (int * exn) -> 'a hash_table
  val clear : 'a hash_table -> unit
  val insert : 'a hash_table -> (Key1.hash_key * Key2.hash_key * 'a) -> unit
  (* Items that had either key are gone. *)
  val inDomain1 : 'a hash_table -> Key1.hash_key -> bool
  val inDomain2 : 'a hash_table -> Key2.hash_key -> bool
  val lookup1 : 'a hash_table -> Key1.hash_key -> 'a
  val lookup2 : 'a hash_table -> Key2.hash_key -> 'a
  val find1 : 'a hash_table -> Key1.hash_key -> 'a option
  val find2 : 'a hash_table -> Key2.hash_key -> 'a option
  val remove1 : 'a hash_table -> Key1.hash_key -> 'a
  val remove2 : 'a hash_table -> Key2.hash_key -> 'a
  val numItems : 'a hash_table -> int
  val listItems : 'a hash_table -> 'a list
  val listItemsi : 'a hash_table -> (Key1.hash_key * Key2.hash_key * 'a) list
  val app : ('a -> unit) -> 'a hash_table -> unit
  val appi : ((Key1.hash_key * Key2.hash_key * 'a) -> unit) -> 'a hash_table -> unit
  val map : ('a -> 'b) -> 'a hash_table -> 'b hash_table
  val mapi : ((Key1.hash_key * Key2.hash_key * 'a) -> 'b) -> 'a hash_table -> 'b hash_table
  val fold : (('a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  val foldi : ((Key1.hash_key * Key2.hash_key * 'a * 'b) -> 'b) -> 'b -> 'a hash_table -> 'b
  val filter : ('a -> bool) -> 'a hash_table -> unit
  val filteri : ((Key1.hash_key * Key2.hash_key * 'a) -> bool) -> 'a hash_table -> unit
  val copy : 'a hash_table -> 'a hash_table
  val bucketSizes : 'a hash_table -> (int list * int list)
end

signature MONO_HASH_SET =
sig
  structure Key : HASH_KEY
  type item = Key.hash_key
  type set

  val mkEmpty : int -> set
  (* The number is how many items are expected. *)
  val mkSingleton : item -> set
  val mkFromList : item list -> set
  val copy : set -> set
  val toList : set -> item list

  (* In place *)

  val add : set * item -> unit
  val add' : item * set -> unit
  val addc : set -> item -> unit
  val addList : set * item list -> unit
  val addSet : set * set -> unit
  (* The second set's items go into the first. *)
  val subtract : set * item -> unit
  val subtract' : item * set -> unit
  val subtractc : set -> item -> unit
  val subtractList : set * item list -> unit
  val subtractSet : set * set -> unit
  val delete : set * item -> bool
  (* Whether it was there. *)

  val member : set * item -> bool
  val isEmpty : set -> bool
  val isSubset : (set * set) -> bool
  (* Whether the second has every item of the first. *)
  val disjoint : set * set -> bool
  val numItems : set -> int

  (* New sets *)

  val union : set * set -> set
  val intersection : set * set -> set
  val difference : set * set -> set
  val map : (item -> item) -> set -> set
  val mapPartial : (item -> item option) -> set -> set

  val app : (item -> unit) -> set -> unit
  val fold : (item * 'b -> 'b) -> 'b -> set -> 'b
  val partition : (item -> bool) -> set -> (set * set)
  val filter : (item -> bool) -> set -> unit
  (* In place. *)
  val exists : (item -> bool) -> set -> bool
  val all : (item -> bool) -> set -> bool
  val find : (item -> bool) -> set -> item option

  (* Older names *)

  val listItems : set -> item list
  val without : set * item -> unit
  (* subtract *)
end
