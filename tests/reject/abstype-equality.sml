(* Values of an abstype could be compared outside its body, so that what hides behind it could be seen. *)
abstype colour = Red | White
with
  val a = Red
  val same = a = White
end
val x = a = a
