(* HashTable, HashTableFn and the tables of ints, words and atoms: HashRep' with a hash, an equality and an exception. *)

structure HashTable :> HASH_TABLE =
struct
  structure R = HashRep'

  type ('a, 'b) hash_table =
    {hash : 'a -> word, same : 'a * 'a -> bool, missing : exn, rep : ('a, 'b) R.rep}

  fun mkTable (hash, same) (n, missing) =
    {hash = hash, same = same, missing = missing, rep = R.new n}
  fun clear ({rep, ...} : ('a, 'b) hash_table) = R.clear rep
  fun insert ({hash, same, rep, ...} : ('a, 'b) hash_table) (k, v) =
    R.insert (hash, same) rep (k, v)
  fun insertWithi f ({hash, same, rep, ...} : ('a, 'b) hash_table) (k, v) =
    R.insertWith (hash, same, f) rep (k, v)
  fun insertWith f = insertWithi (fn (_, v, w) => f (v, w))
  fun inDomain ({hash, same, rep, ...} : ('a, 'b) hash_table) k = R.member same rep (hash k, k)
  fun find ({hash, same, rep, ...} : ('a, 'b) hash_table) k = R.find same rep (hash k, k)
  fun lookup (t : ('a, 'b) hash_table) k = case find t k of SOME v => v | NONE => raise #missing t
  fun findAndRemove ({hash, same, rep, ...} : ('a, 'b) hash_table) k = R.remove same rep (hash k, k)
  fun remove (t : ('a, 'b) hash_table) k =
    case findAndRemove t k of SOME v => v | NONE => raise #missing t
  fun numItems ({rep, ...} : ('a, 'b) hash_table) = R.count rep

  fun foldi f init ({rep, ...} : ('a, 'b) hash_table) = R.fold f init rep
  fun fold f = foldi (fn (_, v, x) => f (v, x))
  fun listItems ({rep, ...} : ('a, 'b) hash_table) = R.list (fn (_, v) => v) rep
  fun listItemsi ({rep, ...} : ('a, 'b) hash_table) = R.list (fn pair => pair) rep
  fun appi f ({rep, ...} : ('a, 'b) hash_table) = R.app f rep
  fun app f = appi (fn (_, v) => f v)
  fun mapi f {hash, same, missing, rep} =
    {hash = hash, same = same, missing = missing, rep = R.map f rep}
  fun map f = mapi (fn (_, v) => f v)
  fun modifyi f ({rep, ...} : ('a, 'b) hash_table) = R.modify f rep
  fun modify f = modifyi (fn (_, v) => f v)
  fun filteri f ({rep, ...} : ('a, 'b) hash_table) = R.filter f rep
  fun filter f = filteri (fn (_, v) => f v)
  fun copy {hash, same, missing, rep} =
    {hash = hash, same = same, missing = missing, rep = R.copy rep}
  fun bucketSizes ({rep, ...} : ('a, 'b) hash_table) = R.bucketSizes rep
end

functor HashTableFn (Key : HASH_KEY) : MONO_HASH_TABLE =
struct
  structure Key = Key
  structure R = HashRep'

  datatype 'a hash_table = Table of {missing : exn, rep : (Key.hash_key, 'a) R.rep}

  fun hashed k = (Key.hashVal k, k)

  fun mkTable (n, missing) = Table {missing = missing, rep = R.new n}
  fun clear (Table {rep, ...}) = R.clear rep
  fun insert (Table {rep, ...}) (k, v) = R.insert (Key.hashVal, Key.sameKey) rep (k, v)
  fun insertWithi f (Table {rep, ...}) (k, v) =
    R.insertWith (Key.hashVal, Key.sameKey, f) rep (k, v)
  fun insertWith f = insertWithi (fn (_, v, w) => f (v, w))
  fun inDomain (Table {rep, ...}) k = R.member Key.sameKey rep (hashed k)
  fun find (Table {rep, ...}) k = R.find Key.sameKey rep (hashed k)
  fun lookup (Table {rep, missing}) k =
    case R.find Key.sameKey rep (hashed k) of SOME v => v | NONE => raise missing
  fun findAndRemove (Table {rep, ...}) k = R.remove Key.sameKey rep (hashed k)
  fun remove (Table {rep, missing}) k =
    case R.remove Key.sameKey rep (hashed k) of SOME v => v | NONE => raise missing
  fun numItems (Table {rep, ...}) = R.count rep

  fun foldi f init (Table {rep, ...}) = R.fold f init rep
  fun fold f = foldi (fn (_, v, x) => f (v, x))
  fun listItems (Table {rep, ...}) = R.list (fn (_, v) => v) rep
  fun listItemsi (Table {rep, ...}) = R.list (fn pair => pair) rep
  fun appi f (Table {rep, ...}) = R.app f rep
  fun app f = appi (fn (_, v) => f v)
  fun mapi f (Table {rep, missing}) = Table {missing = missing, rep = R.map f rep}
  fun map f = mapi (fn (_, v) => f v)
  fun modifyi f (Table {rep, ...}) = R.modify f rep
  fun modify f = modifyi (fn (_, v) => f v)
  fun filteri f (Table {rep, ...}) = R.filter f rep
  fun filter f = filteri (fn (_, v) => f v)
  fun copy (Table {rep, missing}) = Table {missing = missing, rep = R.copy rep}
  fun bucketSizes (Table {rep, ...}) = R.bucketSizes rep
end

structure IntHashTable =
  HashTableFn (struct
    type hash_key = int
    val hashVal = Word.fromInt
    fun sameKey (a : int, b) = a = b
  end)

structure WordHashTable =
  HashTableFn (struct
    type hash_key = word
    fun hashVal w = w : word
    fun sameKey (a : word, b) = a = b
  end)

structure AtomTable =
  HashTableFn (struct type hash_key = Atom.atom val hashVal = Atom.hash val sameKey = Atom.same end)
