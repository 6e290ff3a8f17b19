(* What was printed without a line end is not lost at exit. *)
val () = print "partial"
val () = OS.Process.exit OS.Process.failure
