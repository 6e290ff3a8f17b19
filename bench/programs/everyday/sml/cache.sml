(* A cache that forgets what was not used for the longest time: a hash table, and a list in both directions. *)

structure Table =
  HashTableFn (struct
    type hash_key = string
    val hashVal = HashString.hashString
    val sameKey = op = : string * string -> bool
  end)

datatype node = End | Node of {key : string, value : int, ahead : node ref, after : node ref}

val room = 10000
val first = ref End
val last = ref End
val table : node Table.hash_table = Table.mkTable (room, Fail "no such key")

fun unlink (Node {ahead, after, ...}) =
      (case !ahead of Node {after = a, ...} => a := !after | End => first := !after;
       case !after of Node {ahead = b, ...} => b := !ahead | End => last := !ahead)
  | unlink End = ()

fun pushFront (node as Node {ahead, after, ...}) =
      (ahead := End;
       after := !first;
       case !first of Node {ahead = b, ...} => b := node | End => last := node;
       first := node)
  | pushFront End = ()

fun get key =
  case Table.find table key of
    SOME (node as Node {value, ...}) => (unlink node; pushFront node; SOME value)
  | _ => NONE

fun put (key, value) =
  let
    val node = Node {key = key, value = value, ahead = ref End, after = ref End}
  in
    if Table.numItems table < room then ()
    else
      (case !last of
         old as Node {key, ...} => (unlink old; ignore (Table.remove table key))
       | End => ());
    Table.insert table (key, node);
    pushFront node
  end

fun loop (0, _, hits, sum) = (hits, sum)
  | loop (n, x, hits, sum) =
      let
        val y = x * 16807 mod 2147483647
        (* Small numbers are frequent. *)
        val k = y mod 200 * (x mod 200) mod 30011
        val key = "user-" ^ Int.toString k
      in
        case get key of
          SOME v => loop (n - 1, y, hits + 1, (sum * 31 + v) mod 1000003)
        | NONE => (put (key, k * 7 mod 1009); loop (n - 1, y, hits, sum))
      end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val (hits, sum) = loop (n, 1, 0, 0)
val () =
  print (concat [Int.toString hits, " hits of ", Int.toString n, ", sum ", Int.toString sum, "\n"])
