(* race: two threads add to a counter; whichever runs first, nothing orders them. *)
open CML
val n = ref 0
fun increment () = n := !n + 1
val threads = List.tabulate (2, fn _ => spawn increment)
val () = app (fn t => sync (joinEvt t)) threads
val () = print (Int.toString (!n) ^ "\n")
