val () = print "partial"
val () = OS.Process.exit 7
