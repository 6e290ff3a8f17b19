(* The structures of C's types have a type t, and there is C_Pointer, as in MLton. *)

val strlen = _import "strlen" : string -> C_Size.t;
val abs = _import "abs" : C_Int.t -> C_Int.t;
val () =
  print (String.concatWith " " [C_Size.toString (strlen "abc\000"), C_Int.toString (abs ~5),
                                C_Size.toString (C_Pointer.toWord C_Pointer.null)] ^ "\n")
