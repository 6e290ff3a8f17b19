(* A double quote without a backslash ended a text that was read with escapes of C: the rest was lost without a word. It is
   a character there, as in other systems; with escapes of Standard ML it ends the text. *)
fun show NONE = "NONE" | show (SOME s) = "SOME " ^ String.toString s
fun line s = print (s ^ "\n")
val () = app (line o show o String.fromCString) ["a\"b", "\"", "a\\\"b\"", "a\"\nb", "\"\\q"]
val () = app (line o show o Option.map str o Char.fromCString) ["\"", "\\\"", "\"x"]
val () = app (line o show o String.fromString) ["a\"b", "\""]
val () = line (show (Option.map str (Char.fromString "\"")))
