(* A choice that is cancelled gives its negative acknowledgements, also where no base event is left in it. *)
fun try event =
  let
    val fired = SyncVar.iVar ()
    fun watched nack =
      (ignore (CML.spawn (fn () => (CML.sync nack; SyncVar.iPut (fired, ())))); event)
  in
    ignore (Scope.within (Time.fromMilliseconds 5)
              (fn _ => CML.sync (CML.choose [CML.withNack watched, CML.never])));
    CML.select [CML.wrap (SyncVar.iGetEvt fired, fn () => print "nack\n"),
                CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => print "no nack\n")]
  end
val () = try (CML.recvEvt (CML.channel () : unit CML.chan))
val () = try CML.never
val () = try (CML.guard (fn () => CML.choose []))
