(* A computation that says CML.exit: the caller waited for the time to be over. In SML/NJ it would be the caller's
   thread that ends. *)
fun caller () =
  Scope.finally (fn () =>
    (TimeLimit.timeLimit (Time.fromSeconds 3600) (fn () => CML.exit ()) ();
     print "goes on\n"),
   fn () => print "the caller ends\n")
val () = CML.sync (CML.joinEvt (CML.spawn caller))
val () = print "over\n"
