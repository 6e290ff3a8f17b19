(* Hash tables store 31 bits of each hash, and ask for the hashes again when they mix them. What can go wrong with that:
   hashes that differ in bits that are not stored are taken for equal; the function that is asked again raises, or uses
   the table itself. *)
exception Missing
exception No
fun check (name, ok) = print (name ^ (if ok then ": ok\n" else ": WRONG\n"))
fun upTo n = List.tabulate (n, fn i => i)
val seed = ref 0w4711 : Word64.word ref
fun random () = (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407; Word64.>> (!seed, 0w20))

(* -- hashes that differ in high bits only, in tables too small to be mixed *)

structure Words = HashTableFn (type hash_key = word val hashVal = fn w => w val sameKey = op = : word * word -> bool)
fun high n =
  let
    val keys = map (fn _ => Word.<< (Word.fromLarge (random ()), 0w31)) (upTo n)
    val t : word Words.hash_table = Words.mkTable (4, Missing)
  in
    app (fn k => Words.insert t (k, k + 0w1)) keys;
    List.all (fn k => Words.find t k = SOME (k + 0w1)) keys
    andalso List.all (fn k => not (Words.inDomain t (k + 0wx4000000))) keys
    andalso Words.numItems t = n
  end
val () = check ("high bits", List.all (fn _ => high 15) (upTo 100))
val () = check ("high bits, mixed", List.all (fn n => high (40 * n + 1)) (upTo 30))

(* -- the order is that of the bits that are stored, as long as there are no others *)

val t : unit Words.hash_table = Words.mkTable (4, Missing)
val () = app (fn k => Words.insert t (k, ())) [0wx7FFFFFFF, 0w3, 0wx2000003, 0wx40000002, 0w1]
val () = print (String.concatWith " " (map (Word.toString o #1) (Words.listItemsi t)) ^ "\n")

(* -- the function raises at its n-th call, for each n; keys that are alike in their low bits, so the table is mixed *)

fun hash w = Word.fromInt w * 0w65536
val calls = ref 0
val bad = ref 0
structure Raises =
  HashTableFn (struct
    type hash_key = int
    fun hashVal k = (calls := !calls + 1; if !calls = !bad then raise No else hash k)
    fun sameKey (a : int, b) = a = b
  end)
fun fails n =
  let
    val t : int Raises.hash_table = Raises.mkTable (4, Missing)
    val () = (calls := 0; bad := n)
    fun put i = (Raises.insert t (i, i); NONE) handle No => SOME i
    val failed = List.mapPartial put (upTo 150)
    val () = bad := ~1
    val found = List.filter (Raises.inDomain t) (upTo 150)
  in
    length failed <= 1
    andalso List.all (fn i => Raises.find t i = SOME i orelse List.exists (fn j => i = j) failed) (upTo 150)
    andalso length found = Raises.numItems t
    andalso length (Raises.listItems t) = Raises.numItems t
    andalso (app (fn i => Raises.insert t (i, i)) (upTo 300); List.all (fn i => Raises.find t i = SOME i) (upTo 300))
  end
val () = check ("a hash that raises", List.all fails (upTo 600))
val () =
  let
    val t : int Raises.hash_table = Raises.mkTable (4, Missing)
  in
    calls := 0;
    app (fn i => Raises.insert t (i, i)) (upTo 150);
    check ("hashes are asked for again", !calls > 150)
  end

(* -- the function itself puts something into the table *)

structure Own =
struct
  val own : (int -> unit) ref = ref ignore
  structure T =
    HashTableFn (struct
      type hash_key = int
      fun hashVal k = (!own k; hash k)
      fun sameKey (a : int, b) = a = b
    end)
end
fun within at =
  let
    val t : int Own.T.hash_table = Own.T.mkTable (4, Missing)
    val n = ref 0
    fun more _ =
      (n := !n + 1;
       if !n = at then (Own.own := ignore; app (fn i => Own.T.insert t (1000 + i, i)) (upTo (at mod 90))) else ())
    val () = Own.own := more
    val () = app (fn i => Own.T.insert t (i, i)) (upTo 200)
    val () = Own.own := ignore
    val others = List.filter (Own.T.inDomain t) (map (fn i => 1000 + i) (upTo (at mod 90)))
  in
    Own.T.numItems t = length (Own.T.listItems t)
    andalso List.all (fn i => Own.T.find t i = SOME i) (upTo 200)
    andalso Own.T.numItems t = 200 + length others
  end
val () = check ("a hash that uses the table", List.all within (upTo 500))

(* -- sets, against a list *)

structure Set = HashSetFn (type hash_key = int val hashVal = hash val sameKey = op = : int * int -> bool)
fun sets (0, s, l, ok) = (s, l, ok)
  | sets (n, s, l, ok) =
      let
        val k = Word64.toInt (Word64.mod (random (), 0w200))
        val there = List.exists (fn i => i = k) l
        val ok = ok andalso Set.member (s, k) = there
      in
        if Word64.mod (random (), 0w3) = 0w0 then
          let
            val without = List.filter (fn i => i <> k) l
            val was = Set.delete (s, k)
          in
            sets (n - 1, s, without, ok andalso was = there)
          end
        else (Set.add (s, k); sets (n - 1, s, if there then l else k :: l, ok))
      end
fun sorted l = ListMergeSort.sort (op > : int * int -> bool) l
val (s, l, ok) = sets (20000, Set.mkEmpty 4, [], true)
val even = Set.copy s
val () = Set.filter (fn i => i mod 2 = 0) even
val () = check ("a set", ok andalso sorted (Set.toList s) = sorted l andalso Set.numItems s = length l)
val () = check ("filtered", sorted (Set.toList even) = sorted (List.filter (fn i => i mod 2 = 0) l))
val () = check ("found", Set.find (fn i => i > 100) s <> NONE andalso Set.all (fn i => i < 200) s)
