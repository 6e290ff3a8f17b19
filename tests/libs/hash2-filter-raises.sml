(* Where the function of filteri raises, no item of the table has lost one of its two keys. *)
structure Key = struct type hash_key = int val hashVal = Word.fromInt fun sameKey (a : int, b) = a = b end
structure Table = Hash2TableFn (structure Key1 = Key structure Key2 = Key)
exception Stop
val t : string Table.hash_table = Table.mkTable (8, Fail "missing")
val () = (Table.insert t (0, 100, "a"); Table.insert t (32, 101, "b"))
val () = Table.filteri (fn (32, _, _) => false | _ => raise Stop) t handle Stop => ()
val () =
  print (concat [Int.toString (Table.numItems t), " items; 32: ", Bool.toString (Table.inDomain1 t 32), ", 101: ",
                 Bool.toString (Table.inDomain2 t 101), "\n"])
