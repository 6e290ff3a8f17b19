(* An operator of another language explains its own name, and not the branch that is missing behind it. *)
fun f x = if x == 1 then 2
val y = f 3
