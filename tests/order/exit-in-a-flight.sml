(* The function of SingleFlight.run says CML.exit: those who wait get Cancelled, and the next call begins a new flight.
   All had waited for ever. *)
val g : int SingleFlight.group = SingleFlight.group ()
val t =
  CML.spawn (fn () =>
            print (Int.toString (SingleFlight.run (g, "a") (fn () => CML.exit ())) ^ "\n")
            handle e => print (exnName e ^ "\n"))
val () = CML.sync (CML.joinEvt t)
val () = print (Int.toString (SingleFlight.calls g) ^ "\n")
val r = Scope.within (Time.fromSeconds 20) (fn _ => SingleFlight.run (g, "a") (fn () => 7))
val () = print (case r of NONE => "hangs\n" | SOME n => Int.toString n ^ "\n")
