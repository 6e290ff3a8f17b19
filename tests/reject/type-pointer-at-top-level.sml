(* The library's own type of addresses has no name at top level. *)

fun same (x : pointer) = x = x
val () = print "accepted\n"
