(* \u is no escape of C's strings as the Basis reads them. *)
fun show s = print ((case String.fromCString s of SOME t => "\"" ^ String.toString t ^ "\"" | NONE => "NONE") ^ "\n")
val () = List.app show ["a\\u0041b", "a\\x41;b", "a\\101b", "\\^A", "\\?\\'\\\"\\a\\v"]
val () = print (Bool.toString (isSome (Char.fromCString "\\u0041")) ^ "\n")
val () = print (Bool.toString (isSome (Char.fromString "\\u0041")) ^ "\n")
