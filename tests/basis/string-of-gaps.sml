(* The Basis: what a scan of characters leaves does not begin with an escaped formatting sequence. A text of nothing but
   such sequences left all but the first. *)
fun show NONE = "NONE"
  | show (SOME (s, rest)) = "[" ^ s ^ "] " ^ String.toString (implode rest)
fun test s = print (show (String.scan List.getItem (explode s)) ^ "\n")
val () =
  app test
    ["\\ \\", "\\ \\\\ \\", "\\ \\\\\n\t\\\\ \\", "\\ \\\\ \\a\\ \\\\ \\", "\\ \\\\ \\\"", "\\ \\\\ \\\n", "\\ \\\\ ", "\""]
