(* A finalizer that is added behind a collection runs: the value lives until it is there. *)
structure F = MLton.Finalizable
val () =
  let
    val t = F.new 7
    val () = MLton.GC.collect ()
  in
    F.addFinalizer (t, fn n => print ("finalizer of " ^ Int.toString n ^ "\n"))
  end
val () = print "end\n"
