(* Nothing runs when something is missing. *)
val () = print "not this\n"
val first = _import "no_such_function" : int -> int;
val second = _address "no_such_variable" : word;
val () = print (Int.toString (first 1) ^ Word.toString second)
