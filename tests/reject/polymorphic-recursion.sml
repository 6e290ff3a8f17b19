(* A function that is used at another type inside of itself, and two that call each other so: types that are not regular
   ask for it. Standard ML has no such functions; what they would mean is clear, but their types are not found. *)
datatype 'a nest = Nil | Cons of 'a * ('a * 'a) nest
fun length Nil = 0
  | length (Cons (_, rest)) = 1 + 2 * length rest
fun even Nil = true
  | even (Cons (_, rest)) = odd rest
and odd Nil = false
  | odd (Cons (_, rest)) = even rest
val inside = fn Cons (_, Cons ((x, y), _)) => SOME (x, y) | _ => NONE
