(* Several threads put strings into one hash table and take them out, without a lock. Such a program is wrong and may lose
   items; but whatever it finds is a string. A slot whose item is removed has no address, which a thread that has just read
   the slot's hash must not take for one. *)
open CML
structure Table =
  HashTableFn (type hash_key = string val hashVal = HashString.hashString val sameKey = op = : string * string -> bool)
val table : string Table.hash_table = Table.mkTable (4, Fail "not there")
fun name i = "key" ^ Int.toString i
fun isOne s = String.isPrefix "value" s
fun work (_, 0) = ()
  | work (x, n) =
      let
        val x = x * 16807 mod 2147483647
        val k = name (x mod 23)
      in
        (case x div 64 mod 5 of
           0 => Table.insert table (k, "value" ^ k)
         | 1 => Table.insertWith (fn (a, b) => if isOne a then b else raise Fail "no value") table (k, "value" ^ k)
         | 2 => (case Table.find table k of SOME v => if isOne v then () else raise Fail "no value" | NONE => ())
         | 3 => ignore (Table.findAndRemove table k)
         | _ =>
             Table.appi
               (fn (k, v) => if String.isPrefix "key" k andalso isOne v then () else raise Fail "no key")
               table);
        work (x, n - 1)
      end
val threads = List.tabulate (4, fn i => spawn (fn () => work (i * 7919 + 1, 20000)))
val () = app (sync o joinEvt) threads
val () = print "only strings\n"
