(* HashCons: values that are made once: the same node is the same object, known by its tag. Maps and sets by tag.
   Tables keep what they have, and threads may share one. *)

signature HASH_CONS =
sig
  type 'a tbl

  val new : {eq : 'a * 'a -> bool} -> 'a tbl
  (* A table without objects. eq compares nodes, and their parts by `same`. *)
  val clear : 'a tbl -> unit
  (* Forgets all objects. Those that are made later are new ones, with new tags, also of nodes that were there
     before. *)

  type 'a obj = {nd : 'a, tag : word, hash : word}

  val node : 'a obj -> 'a
  (* What the object is made of. *)
  val tag : 'a obj -> word
  (* The object's number in its table, in the order in which they were made. *)
  val same : 'a obj * 'a obj -> bool
  (* Whether they are one object: whether the tags are equal. Both must be of one table. *)
  val compare : 'a obj * 'a obj -> order
  (* By tag: the older object is the lesser one. *)

  (* The object of a constructor of so many parts; each constructor has a number of its own. *)

  val cons0 : 'a tbl -> word * 'a -> 'a obj
  (* Of a constant: the node itself, and the constructor's number. *)
  val cons1 : 'a tbl -> word * ('b obj -> 'a) -> 'b obj -> 'a obj
  (* Of a constructor with one part. The node is made in any case; the object only if the table has none of an equal
     node. *)
  val cons2 : 'a tbl -> word * ('b obj * 'c obj -> 'a) -> 'b obj * 'c obj -> 'a obj
  (* Likewise with two parts. *)
  val cons3 :
    'a tbl -> word * ('b obj * 'c obj * 'd obj -> 'a) -> 'b obj * 'c obj * 'd obj -> 'a obj
  (* Likewise with three parts. *)
  val cons4 :
    'a tbl
    -> word * ('b obj * 'c obj * 'd obj * 'e obj -> 'a)
    -> 'b obj * 'c obj * 'd obj * 'e obj
    -> 'a obj
  (* Likewise with four parts. *)
  val cons5 :
    'a tbl
    -> word * ('b obj * 'c obj * 'd obj * 'e obj * 'f obj -> 'a)
    -> 'b obj * 'c obj * 'd obj * 'e obj * 'f obj
    -> 'a obj
  (* Likewise with five parts. *)
  val consList : 'a tbl -> word * ('b obj list -> 'a) -> 'b obj list -> 'a obj
  (* Likewise with a list of parts. *)

  (* With the parts in a record, and a function that takes them out *)

  val consR1 : 'a tbl -> word * ('b obj -> 'a) * ('r -> 'b obj) -> 'r -> 'a obj
  (* cons1 of the part that the function takes out of the record. *)
  val consR2 : 'a tbl -> word * ('b obj * 'c obj -> 'a) * ('r -> 'b obj * 'c obj) -> 'r -> 'a obj
  (* cons2 of the parts that the function takes out of it. *)
  val consR3 :
    'a tbl
    -> word * ('b obj * 'c obj * 'd obj -> 'a) * ('r -> 'b obj * 'c obj * 'd obj)
    -> 'r
    -> 'a obj
  (* cons3 of the parts that the function takes out of it. *)
  val consR4 :
    'a tbl
    -> word * ('b obj * 'c obj * 'd obj * 'e obj -> 'a) * ('r -> 'b obj * 'c obj * 'd obj * 'e obj)
    -> 'r
    -> 'a obj
  (* cons4 of the parts that the function takes out of it. *)
  val consR5 :
    'a tbl
    -> word
       * ('b obj * 'c obj * 'd obj * 'e obj * 'f obj -> 'a)
       * ('r -> 'b obj * 'c obj * 'd obj * 'e obj * 'f obj)
    -> 'r
    -> 'a obj
  (* cons5 of the parts that the function takes out of it. *)
end

structure HashCons :> HASH_CONS =
struct
  type 'a obj = {nd : 'a, tag : word, hash : word}

  structure Lock = OrderedLock'

  (* The objects by hash, those of one hash in a list, the newest first. *)
  datatype 'a tbl =
    Table of
        {eq : 'a * 'a -> bool,
         rep : (word, 'a obj list) HashTable.hash_table,
         next : word ref,
         lock : Lock.lock}

  exception Missing

  fun new {eq} =
    Table {eq = eq,
           rep = HashTable.mkTable (fn h => h, op =) (64, Missing),
           next = ref 0w0,
           lock = Lock.new ()}
  fun clear (Table {rep, lock, ...}) = (Lock.take lock; HashTable.clear rep; Lock.release lock)

  fun node ({nd, ...} : 'a obj) = nd
  fun tag ({tag, ...} : 'a obj) = tag
  fun same ({tag = a, ...} : 'a obj, {tag = b, ...} : 'a obj) = a = b
  fun compare ({tag = a, ...} : 'a obj, {tag = b, ...} : 'a obj) = Word.compare (a, b)

  (* eq is the program's, so it is called without the lock. An object is made if those that it was asked about are still all
     that there are. *)
  fun insert (Table {eq, rep, next, lock}) (hash, nd) =
    let
      fun objects () = getOpt (HashTable.find rep hash, [])
      fun search objs =
        case List.find (fn {nd = nd', ...} => eq (nd, nd')) objs of
          SOME obj => obj
        | NONE =>
            let
              val () = Lock.take lock
              val now = objects ()
            in
              if PrimRefs'.ptr_eq (now, objs) then
                let
                  val obj = {nd = nd, tag = !next, hash = hash}
                in
                  next := !next + 0w1;
                  HashTable.insert rep (hash, obj :: objs);
                  Lock.release lock;
                  obj
                end
              else (Lock.release lock; search now)
            end
      val () = Lock.take lock
      val objs = objects ()
      val () = Lock.release lock
    in
      search objs
    end

  fun with' ({hash, ...} : 'a obj, h) = Word.xorb (h * 0wx01000193, hash) * 0wx5BD1E995 + 0w1

  fun cons0 t (id, nd) = insert t (id, nd)
  fun cons1 t (id, c) a = insert t (with' (a, id), c a)
  fun cons2 t (id, c) (p as (a, b)) = insert t (with' (b, with' (a, id)), c p)
  fun cons3 t (id, c) (p as (a, b, d)) = insert t (with' (d, with' (b, with' (a, id))), c p)
  fun cons4 t (id, c) (p as (a, b, d, e)) =
    insert t (with' (e, with' (d, with' (b, with' (a, id)))), c p)
  fun cons5 t (id, c) (p as (a, b, d, e, f)) =
    insert t (with' (f, with' (e, with' (d, with' (b, with' (a, id))))), c p)
  fun consList t (id, c) l = insert t (List.foldl with' id l, c l)
  fun consR1 t (id, c, f) r = cons1 t (id, c) (f r)
  fun consR2 t (id, c, f) r = cons2 t (id, c) (f r)
  fun consR3 t (id, c, f) r = cons3 t (id, c) (f r)
  fun consR4 t (id, c, f) r = cons4 t (id, c) (f r)
  fun consR5 t (id, c, f) r = cons5 t (id, c) (f r)
end

signature HASH_CONS_GROUND' =
sig
  type hash_key
  type obj = hash_key HashCons.obj
  val mk : hash_key -> obj
  (* The object of this key; each structure has a table of its own. *)
end

functor HashConsGroundFn (T : HASH_KEY) : HASH_CONS_GROUND' where type hash_key = T.hash_key =
struct
  type hash_key = T.hash_key
  type obj = hash_key HashCons.obj
  val table = HashCons.new {eq = T.sameKey}
  fun mk x = HashCons.cons0 table (T.hashVal x, x)
end

structure HashConsAtom : HASH_CONS_GROUND' = HashConsGroundFn (AtomTable.Key)
structure HashConsInt : HASH_CONS_GROUND' = HashConsGroundFn (IntHashTable.Key)
structure HashConsWord : HASH_CONS_GROUND' = HashConsGroundFn (WordHashTable.Key)
structure HashConsString : HASH_CONS_GROUND' =
  HashConsGroundFn (struct
    type hash_key = string
    val hashVal = HashString.hashString
    fun sameKey (a : string, b) = a = b
  end)
structure HashConsBool : HASH_CONS_GROUND' =
  HashConsGroundFn (struct
    type hash_key = bool
    val hashVal = Hash.bool'
    fun sameKey (a : bool, b) = a = b
  end)

signature HASH_CONS_MAP =
sig
  type 'a obj = 'a HashCons.obj
  type ('a, 'b) map
  (* As in ORD_MAP, with objects for keys, in the order of their tags. *)

  val empty : ('a, 'b) map
  (* The map without keys. *)
  val singleton : 'a obj * 'b -> ('a, 'b) map
  (* The map of one key. *)
  val insert : ('a, 'b) map * 'a obj * 'b -> ('a, 'b) map
  (* The map with this value of the key, instead of an older one. *)
  val insert' : ('a obj * 'b) * ('a, 'b) map -> ('a, 'b) map
  (* Likewise, with the arguments as a fold wants them. *)
  val insertWith : ('b * 'b -> 'b) -> ('a, 'b) map * 'a obj * 'b -> ('a, 'b) map
  (* The function joins the old value and the new one, if the key is there already. *)
  val insertWithi : ('a obj * 'b * 'b -> 'b) -> ('a, 'b) map * 'a obj * 'b -> ('a, 'b) map
  (* Likewise; the function is given the key, too. *)
  val find : ('a, 'b) map * 'a obj -> 'b option
  (* The key's value, or NONE. *)
  val lookup : ('a, 'b) map * 'a obj -> 'b
  (* The key's value. Raises LibBase.NotFound. *)
  val inDomain : ('a, 'b) map * 'a obj -> bool
  (* Whether the key is there. *)
  val remove : ('a, 'b) map * 'a obj -> ('a, 'b) map * 'b
  (* The map without the key, and the value that it had. Raises LibBase.NotFound. *)
  val isEmpty : ('a, 'b) map -> bool
  (* Whether there is no key. *)
  val numItems : ('a, 'b) map -> int
  (* The number of keys. *)
  val listItems : ('a, 'b) map -> 'b list
  (* The values in the order of their keys' tags. *)
  val listItemsi : ('a, 'b) map -> ('a obj * 'b) list
  (* The keys with their values in the order of the tags. *)
  val listKeys : ('a, 'b) map -> 'a obj list
  (* The keys in the order of their tags. *)
  val collate : ('b * 'b -> order) -> ('a, 'b) map * ('a, 'b) map -> order
  (* Compares the maps as lists of pairs, in the order of the tags: the first difference of keys or, by the function, of
     values decides. *)
  val unionWith : ('b * 'b -> 'b) -> ('a, 'b) map * ('a, 'b) map -> ('a, 'b) map
  (* The keys of both; the function joins the values of those that both have, the first map's on the left. *)
  val unionWithi : ('a obj * 'b * 'b -> 'b) -> ('a, 'b) map * ('a, 'b) map -> ('a, 'b) map
  (* Likewise; the function is given the key, too. *)
  val intersectWith : ('b * 'c -> 'd) -> ('a, 'b) map * ('a, 'c) map -> ('a, 'd) map
  (* The keys that both have; the function makes the value. *)
  val intersectWithi : ('a obj * 'b * 'c -> 'd) -> ('a, 'b) map * ('a, 'c) map -> ('a, 'd) map
  (* Likewise; the function is given the key, too. *)
  val mergeWith :
    ('b option * 'c option -> 'd option) -> ('a, 'b) map * ('a, 'c) map -> ('a, 'd) map
  (* The function decides for each key of either map; NONE leaves it out. *)
  val mergeWithi :
    ('a obj * 'b option * 'c option -> 'd option) -> ('a, 'b) map * ('a, 'c) map -> ('a, 'd) map
  (* Likewise; the function is given the key, too. *)
  val app : ('b -> unit) -> ('a, 'b) map -> unit
  (* The function for each value, in the order of the tags. *)
  val appi : ('a obj * 'b -> unit) -> ('a, 'b) map -> unit
  (* Likewise; the function is given the key, too. *)
  val map : ('b -> 'c) -> ('a, 'b) map -> ('a, 'c) map
  (* The map of what the function gives for each value, in the order of the tags. *)
  val mapi : ('a obj * 'b -> 'c) -> ('a, 'b) map -> ('a, 'c) map
  (* Likewise; the function is given the key, too. *)
  val fold : ('b * 'c -> 'c) -> 'c -> ('a, 'b) map -> 'c
  (* The same as foldl. *)
  val foldi : ('a obj * 'b * 'c -> 'c) -> 'c -> ('a, 'b) map -> 'c
  (* The same as foldli. *)
  val foldl : ('b * 'c -> 'c) -> 'c -> ('a, 'b) map -> 'c
  (* Over the values, from the least tag on. *)
  val foldli : ('a obj * 'b * 'c -> 'c) -> 'c -> ('a, 'b) map -> 'c
  (* Over keys and values, from the least tag on. *)
  val foldr : ('b * 'c -> 'c) -> 'c -> ('a, 'b) map -> 'c
  (* Over the values, from the greatest tag on. *)
  val foldri : ('a obj * 'b * 'c -> 'c) -> 'c -> ('a, 'b) map -> 'c
  (* Over keys and values, from the greatest tag on. *)
  val filter : ('b -> bool) -> ('a, 'b) map -> ('a, 'b) map
  (* Those keys whose values satisfy the predicate. *)
  val filteri : ('a obj * 'b -> bool) -> ('a, 'b) map -> ('a, 'b) map
  (* Those keys that, with their values, satisfy the predicate. *)
  val mapPartial : ('b -> 'c option) -> ('a, 'b) map -> ('a, 'c) map
  (* The values that the function gives; a key for which it gives NONE is left out. *)
  val mapPartiali : ('a obj * 'b -> 'c option) -> ('a, 'b) map -> ('a, 'c) map
  (* Likewise; the function is given the key, too. *)
  val exists : ('b -> bool) -> ('a, 'b) map -> bool
  (* Whether a value satisfies the predicate. *)
  val existsi : ('a obj * 'b -> bool) -> ('a, 'b) map -> bool
  (* Whether a key with its value does. *)
  val all : ('b -> bool) -> ('a, 'b) map -> bool
  (* Whether all values satisfy the predicate. *)
  val alli : ('a obj * 'b -> bool) -> ('a, 'b) map -> bool
  (* Whether all keys with their values do. *)
end

structure HashConsMap :> HASH_CONS_MAP =
struct
  structure M = WordRedBlackMap

  type 'a obj = 'a HashCons.obj
  type ('a, 'b) map = ('a obj * 'b) M.map

  val empty = M.empty
  val tag = HashCons.tag
  fun insert (m, x, v) = M.insert (m, tag x, (x, v))
  fun singleton (x, v) = insert (empty, x, v)
  fun insert' ((x, v), m) = insert (m, x, v)
  fun insertWithi f (m, x, v) =
    M.insertWith (fn ((_, old), _) => (x, f (x, old, v))) (m, tag x, (x, v))
  fun insertWith f = insertWithi (fn (_, v, w) => f (v, w))
  fun key (x, _) = x
  fun value (_, v) = v
  fun find (m, x) = Option.map value (M.find (m, tag x))
  fun lookup (m, x) = value (M.lookup (m, tag x))
  fun inDomain (m, x) = M.inDomain (m, tag x)
  fun remove (m, x) = let val (m, (_, v)) = M.remove (m, tag x) in (m, v) end
  fun isEmpty m = M.isEmpty m
  fun numItems m = M.numItems m
  fun listItemsi m = M.listItems m
  fun listItems m = List.map value (listItemsi m)
  fun listKeys m = List.map key (listItemsi m)
  fun collate f = M.collate (fn ((_, v), (_, w)) => f (v, w))
  fun unionWithi f = M.unionWith (fn ((x, v), (_, w)) => (x, f (x, v, w)))
  fun unionWith f = unionWithi (fn (_, v, w) => f (v, w))
  fun intersectWithi f = M.intersectWith (fn ((x, v), (_, w)) => (x, f (x, v, w)))
  fun intersectWith f = intersectWithi (fn (_, v, w) => f (v, w))
  fun mergeWithi f =
    M.mergeWith (fn (SOME (x, v), SOME (_, w)) =>
                      Option.map (fn u => (x, u)) (f (x, SOME v, SOME w))
                  | (SOME (x, v), NONE) => Option.map (fn u => (x, u)) (f (x, SOME v, NONE))
                  | (NONE, SOME (x, w)) => Option.map (fn u => (x, u)) (f (x, NONE, SOME w))
                  | (NONE, NONE) => NONE)
  fun mergeWith f = mergeWithi (fn (_, v, w) => f (v, w))
  fun appi f = M.app f
  fun app f = M.app (fn (_, v) => f v)
  fun mapi f = M.map (fn (x, v) => (x, f (x, v)))
  fun map f = M.map (fn (x, v) => (x, f v))
  fun foldli f = M.foldl (fn ((x, v), y) => f (x, v, y))
  fun foldl f = M.foldl (fn ((_, v), y) => f (v, y))
  fun foldri f = M.foldr (fn ((x, v), y) => f (x, v, y))
  fun foldr f = M.foldr (fn ((_, v), y) => f (v, y))
  fun foldi f = foldli f
  fun fold f = foldl f
  fun filteri f = M.filter f
  fun filter f = M.filter (fn (_, v) => f v)
  fun mapPartiali f = M.mapPartial (fn (x, v) => Option.map (fn w => (x, w)) (f (x, v)))
  fun mapPartial f = mapPartiali (fn (_, v) => f v)
  fun existsi f = M.exists f
  fun exists f = M.exists (fn (_, v) => f v)
  fun alli f = M.all f
  fun all f = M.all (fn (_, v) => f v)
end

signature HASH_CONS_SET =
sig
  type 'a obj = 'a HashCons.obj
  type 'a set
  (* As in ORD_SET, with objects for items, in the order of their tags. *)

  val empty : 'a set
  (* The set without objects. *)
  val singleton : 'a obj -> 'a set
  (* The set of one object. *)
  val fromList : 'a obj list -> 'a set
  (* The objects of a list, each once. *)
  val add : 'a set * 'a obj -> 'a set
  (* The set with this object. *)
  val add' : 'a obj * 'a set -> 'a set
  (* Likewise, with the arguments as a fold wants them. *)
  val addList : 'a set * 'a obj list -> 'a set
  (* The set with all objects of the list. *)
  val subtract : 'a set * 'a obj -> 'a set
  (* The set without the object, which need not be there. *)
  val subtract' : 'a obj * 'a set -> 'a set
  (* Likewise, with the arguments as a fold wants them. *)
  val subtractList : 'a set * 'a obj list -> 'a set
  (* The set without the objects of the list. *)
  val delete : 'a set * 'a obj -> 'a set
  (* The set without the object. Raises LibBase.NotFound if it is not there. *)
  val member : 'a set * 'a obj -> bool
  (* Whether the object is there. *)
  val isEmpty : 'a set -> bool
  (* Whether there is none. *)
  val equal : 'a set * 'a set -> bool
  (* Whether both have the same objects. *)
  val compare : 'a set * 'a set -> order
  (* Compares the sets as lists of tags, the least first: the first difference decides. *)
  val isSubset : 'a set * 'a set -> bool
  (* Whether the second set has all objects of the first. *)
  val disjoint : 'a set * 'a set -> bool
  (* Whether no object is in both. *)
  val numItems : 'a set -> int
  (* The number of objects. *)
  val toList : 'a set -> 'a obj list
  (* The objects in the order of their tags. *)
  val listItems : 'a set -> 'a obj list
  (* The same as toList. *)
  val union : 'a set * 'a set -> 'a set
  (* The objects of both. *)
  val intersection : 'a set * 'a set -> 'a set
  (* The objects that are in both. *)
  val difference : 'a set * 'a set -> 'a set
  (* The objects of the first set that are not in the second. *)
  val map : ('a obj -> 'b obj) -> 'a set -> 'b set
  (* The set of what the function gives for each object. *)
  val mapPartial : ('a obj -> 'b obj option) -> 'a set -> 'b set
  (* Likewise, without those for which it gives NONE. *)
  val app : ('a obj -> unit) -> 'a set -> unit
  (* The function for each object, in the order of the tags. *)
  val fold : ('a obj * 'b -> 'b) -> 'b -> 'a set -> 'b
  (* The same as foldl. *)
  val foldl : ('a obj * 'b -> 'b) -> 'b -> 'a set -> 'b
  (* From the least tag on. *)
  val foldr : ('a obj * 'b -> 'b) -> 'b -> 'a set -> 'b
  (* From the greatest tag on. *)
  val partition : ('a obj -> bool) -> 'a set -> 'a set * 'a set
  (* The objects that satisfy the predicate, and the others. *)
  val filter : ('a obj -> bool) -> 'a set -> 'a set
  (* The objects that satisfy the predicate. *)
  val all : ('a obj -> bool) -> 'a set -> bool
  (* Whether all objects satisfy the predicate. *)
  val exists : ('a obj -> bool) -> 'a set -> bool
  (* Whether one does. *)
  val find : ('a obj -> bool) -> 'a set -> 'a obj option
  (* The first one that does, in the order of the tags. *)
end

structure HashConsSet :> HASH_CONS_SET =
struct
  structure M = WordRedBlackMap

  type 'a obj = 'a HashCons.obj
  type 'a set = 'a obj M.map

  val empty = M.empty
  val tag = HashCons.tag
  fun add (s, x) = M.insert (s, tag x, x)
  fun add' (x, s) = add (s, x)
  fun addList (s, l) = List.foldl add' s l
  fun singleton x = add (empty, x)
  fun fromList l = addList (empty, l)
  fun delete (s, x) = #1 (M.remove (s, tag x))
  fun subtract (s, x) = delete (s, x) handle LibBase.NotFound => s
  fun subtract' (x, s) = subtract (s, x)
  fun subtractList (s, l) = List.foldl subtract' s l
  fun member (s, x) = M.inDomain (s, tag x)
  fun isEmpty s = M.isEmpty s
  fun equal (s, t) = M.equiv (fn _ => true) (s, t)
  fun compare (s, t) = M.collate (fn _ => EQUAL) (s, t)
  fun isSubset (s, t) = M.extends (fn _ => true) (t, s)
  fun numItems s = M.numItems s
  fun toList s = M.listItems s
  val listItems = toList
  fun union (s, t) = M.unionWith #1 (s, t)
  fun intersection (s, t) = M.intersectWith #1 (s, t)
  fun difference (s, t) = M.mergeWith (fn (x, NONE) => x | _ => NONE) (s, t)
  fun disjoint (s, t) = isEmpty (intersection (s, t))
  fun app f s = M.app f s
  fun foldl f = M.foldl f
  fun foldr f = M.foldr f
  fun fold f = M.foldl f
  fun map f s = foldl (fn (x, t) => add (t, f x)) empty s
  fun mapPartial f s = foldl (fn (x, t) => case f x of SOME y => add (t, y) | NONE => t) empty s
  fun filter f = M.filter f
  fun partition f s = (filter f s, filter (not o f) s)
  fun exists f = M.exists f
  fun all f = M.all f
  fun find f s = List.find f (toList s)
end
