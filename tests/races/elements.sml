(* race: halves of an array that overlap in one element, through functions of the Basis and of the SML/NJ library's kind. *)
open CML
val a = Array.tabulate (10, fn i => i)
fun double (from, upTo) =
  ArraySlice.modify (fn n => 2 * n) (ArraySlice.slice (a, from, SOME (upTo - from)))
val threads = [spawn (fn () => double (0, 6)), spawn (fn () => double (5, 10))]
val () = app (fn t => sync (joinEvt t)) threads
val () = print (Int.toString (Array.foldl op + 0 a) ^ "\n")
