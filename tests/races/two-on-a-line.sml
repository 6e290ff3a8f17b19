(* races: two variables on one line, each with a race of its own; they counted as one. What else the line does to the same
   variable is no further race, nor is what it does to many variables by one access. *)
open CML
val a = ref 0 and b = ref 0
fun both () = (a := !a + 1; b := !b + 1)
val cells = List.tabulate (50, fn i => ref i)
fun all () = app (fn r => r := !r + 1) cells
val threads = List.tabulate (3, fn _ => spawn both) @ List.tabulate (2, fn _ => spawn all)
val () = app (fn t => sync (joinEvt t)) threads
val () = print (Int.toString (!a + !b) ^ "\n")
