(* The loads and stores are in functions: the Basis's, over an array, and those of a hash table of the SML/NJ library. *)
open CML
val counts = Array.array (3, 0)
val table : (int, int) HashTable.hash_table = HashTable.mkTable (Word.fromInt, op =) (8, Fail "not there")
fun count key = HashTable.insert table (key, getOpt (HashTable.find table key, 0) + 1)
fun work () = (Array.modify (fn n => n + 1) counts; count 7)
val threads = List.tabulate (2, fn _ => spawn work)
val () = app (fn t => sync (joinEvt t)) threads
val all = HashTable.lookup table 7 :: Array.foldr op :: [] counts
val () = print ("counted " ^ String.concatWith " " (map Int.toString all) ^ "\n")
val () = if List.all (fn n => n = 2) all then () else OS.Process.exit OS.Process.failure
