(* Heads whose operands are atomic patterns, in all their forms. *)
infix ++ +++ ++++ +++++ o'
fun ((SOME x) ++ y) z = x + y + z
  | (NONE ++ _) z = z
fun ((x :: y) +++ [z]) w = x + length y + z + w
  | (_ +++ _) w = w
fun ({a, ...} ++++ #[p]) w = a + p + w
  | ({...} ++++ _) w = w : int
fun (op o' +++++ y) z = op o' + y + z
fun ((x : int) o' y) z = x - y - z
val () = app (fn n => print (Int.toString n ^ "\n"))
  [(SOME 1 ++ 2) 3, ([1, 2] +++ [3]) 4, ({a = 1, b = 2} ++++ #[3]) 4, (1 +++++ 2) 3, (9 o' 2) 3]
