(* polyc's programs begin with `main` *)
fun main () = Main.main ()
