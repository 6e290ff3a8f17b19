(* The functions of a pool may say CML.exit: the place in the pool was lost, and those who wanted one waited. *)
fun apart f = CML.sync (CML.joinEvt (CML.spawn (fn () => ignore (f ()) handle Fail _ => ())))
fun trial name {make, check, close} work =
  let
    val exits = ref true
    fun exit why = if !exits andalso why then (exits := false; CML.exit ()) else ()
    val settings =
      {size = 1,
       make = fn () => (exit make; print "made\n"),
       check = fn () => (exit check; true),
       close = fn () => (exit close; print "closed\n"),
       idle = Time.fromSeconds 1000}
  in
    Pool.run settings (fn pool =>
      (apart (fn () => Pool.use pool work);
       apart (fn () => Pool.use pool work);
       Pool.use pool (fn () => print (name ^ "\n"));
       print (Int.toString (#out (Pool.count pool)) ^ " out\n")))
  end
val () = trial "make" {make = true, check = false, close = false} (fn () => ())
val () = trial "check" {make = false, check = true, close = false} (fn () => ())
val () = trial "close" {make = false, check = false, close = true} (fn () => raise Fail "")
