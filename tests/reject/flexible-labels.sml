(* A use has told which labels the record has; another one, with other labels, was told `{x: 'a, ...}` alone. *)
val x = #x
val one = x {x = 1, y = 2}
val other = x {x = 1, z = 2}
