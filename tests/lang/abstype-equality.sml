(* The types of an abstype keep their equality outside its body, as in MLton; so a function that the body leaves is right,
   whatever it was made of. *)
abstype colour = Red | White
with
  val a = Red
  val b = White
  val eq = op =
end
val () = print (Bool.toString (eq (a, b)) ^ " " ^ Bool.toString (eq (a, a)) ^ " " ^ Bool.toString (eq (1, 1)) ^ "\n")
