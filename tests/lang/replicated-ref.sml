(* `datatype r = datatype ref` has the constructor ref (Definition, appendix C, and rule 18). *)

structure S = struct datatype r = datatype ref end
val c = S.ref 5
fun get (S.ref n) = n
val () = (print (Int.toString (get c) ^ " "); c := 7; print (Int.toString (!c) ^ "\n"))
