(* A callback that ends its thread.

   Expected: "first", "second". Found: "first", "no callbacks any more".

   All callbacks run in one thread, which `start` in lib/basis/event-manager.sml made once. CML.exit raises nothing
   that could be handled there, so it ended the thread, and `started` stayed true. Mended there. *)
val _ = EventManager.registerTimeout (Time.fromMilliseconds 10, fn () => (print "first\n"; CML.exit ()))
val second = SyncVar.iVar ()
val _ = EventManager.registerTimeout (Time.fromMilliseconds 50, fn () => SyncVar.iPut (second, ()))
val () =
  CML.select [CML.wrap (SyncVar.iGetEvt second, fn () => print "second\n"),
              CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 500), fn () => print "no callbacks any more\n")]
