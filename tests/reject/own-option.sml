(* A program's own type of the name `option` has no argument, or is not what `SOME` makes in the Basis. The first made the
   compiler panic when a type error was explained; of the second `valOf` was advised, which is not for it. *)

datatype option = Verbose | Quiet
fun show Verbose = "v" | show Quiet = "q"
val s = show 3
val n = Verbose + 1

structure Option = struct datatype option = None | File of string end
val t : int = Option.None

structure Own = struct datatype 'a option = NONE | SOME of 'a end
val u : int = Own.SOME 1

val v : int = SOME 1
