(* race: a value is published by a flag, which orders nothing. The thread that waits for it has yielded in between. *)
open CML
val value = ref 0
val ready = ref false
val _ = spawn (fn () => (value := 17; ready := true))
fun wait () = if !ready then () else (yield (); wait ())
val () = wait ()
val () = print (Int.toString (!value) ^ "\n")
