(* A constant must fit into its type, and a structure of the program's own is no sized type. *)
val a : Int5.int = 16
val b : Word3.word = 0w8
structure Int6 :> sig type int end = struct type int = int end
val c : Int6.int = 1
