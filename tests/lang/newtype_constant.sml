(* A value of one constructor around a constant, used in a function: Subst of a static record that holds a closure which
   captures nothing. The alias of the inner value was taken before the record turned out to be a constant, and the compiler
   said that the variable was out of its scope. *)
datatype 'a dict = Dict of (string * string -> order) * 'a option
datatype subst = Subst of int dict
val empty = Subst (Dict (String.compare, NONE))
fun look (Subst (Dict (cmp, v)), a, b) = (cmp (a, b), v)
fun many 0 acc = acc
  | many n acc = many (n - 1) (empty :: acc)
fun twice f x = f (f x)
fun show (EQUAL, NONE) = "equal\n"
  | show _ = "other\n"
val all = many 3 []
val () = app (fn s => print (show (look (s, "a", "a")))) all
val () = app (fn s => print (show (look (s, "a", "b")))) (twice (fn l => empty :: l) [])
