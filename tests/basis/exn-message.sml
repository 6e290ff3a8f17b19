(* Messages of exceptions. That of SysErr, a tuple whose first part is a string, was once the tuple's own words. *)

exception Pair of string * int
exception Triple of int * string * real
fun say e = print (exnMessage e ^ "\n")
val () = OS.FileSys.remove "/no such file" handle e => say e
val () = ignore (TextIO.openIn "/no such file") handle e => say e
val () = List.app say [Fail "text", Pair ("text", 1), Triple (1, "text", 2.0), Subscript]
