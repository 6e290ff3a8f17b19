(* Everything is inlined into main; the back-trace has a line for each function all the same. *)
fun inner n = if n > 2 then raise Fail "deep" else n + 1

fun middle n =
  let val x = inner n
  in x * 2 end

fun outer n =
  middle (n + 1) + 1

val () = print "start\n"
val () = print (Int.toString (outer (length (CommandLine.arguments ())) + outer 7) ^ "\n")
