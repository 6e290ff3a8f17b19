(* Four threads add to a counter without a lock. Between the load and the store of `n := !n + 1` stands no safepoint, and yet
   two workers lose an increment now and then: so must an exploration. *)
open CML
val n = ref 0
fun increment () = n := !n + 1
val threads = List.tabulate (4, fn _ => spawn increment)
val () = app (fn t => sync (joinEvt t)) threads
val () = print ("counted " ^ Int.toString (!n) ^ "\n")
val () = if !n = 4 then () else OS.Process.exit OS.Process.failure
