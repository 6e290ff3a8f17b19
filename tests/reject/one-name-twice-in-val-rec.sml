(* A name twice in one pattern (rule 43), behind rec. *)

val rec f as f = fn x => x
val () = print (Int.toString (f 3) ^ "\n")
