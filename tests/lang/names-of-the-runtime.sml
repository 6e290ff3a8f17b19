(* A built program begins with the runtime's `leat_main`, to which it gives its `leat_program`. A function of the
   program with such a name was taken for it: the built program crashed before its first declaration. *)
fun leat_main 0 = 0
  | leat_main n = 1 + leat_program (n - 1)

and leat_program 0 = 100
  | leat_program n = leat_main (n - 1) + leat_callback (n div 2)

and leat_callback 0 = 1000
  | leat_callback n = 2 + leat_main (n - 1)

fun main 0 = leat_main 4
  | main n = main (n - 1) + leat_program n

val () = print (Int.toString (leat_main 7) ^ " " ^ Int.toString (main 6) ^ "\n")
