(* The function of Retry.runEvt says CML.exit: whoever waits gets Cancelled, as with SingleFlight; it had waited for ever. *)
fun try f =
  print (CML.sync (Retry.runEvt [Retry.Attempts 1] f) ^ "\n") handle e => print (exnName e ^ "\n")
val () = try (fn () => "a value")
val () = try (fn () => CML.exit ())
val () = try (fn () => raise Size)
