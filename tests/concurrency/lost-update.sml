(* A planted mistake: the counter is read, other threads may run, and it is written. Most orders do no harm. *)
open CML
val counter = ref 0
fun add n =
  let val before' = !counter
  in
    (* something that takes a while; one order in many has another thread finish in between *)
    ignore (List.tabulate (n, fn i => i));
    counter := before' + 1
  end
val threads = List.tabulate (2, fn i => spawn (fn () => add (3 + i)))
val () = app (fn t => sync (joinEvt t)) threads
val () = print ("counted " ^ Int.toString (!counter) ^ "\n")
val () = if !counter = 2 then () else OS.Process.exit OS.Process.failure
