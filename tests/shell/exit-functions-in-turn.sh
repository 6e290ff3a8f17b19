# A signal that ends programs, while an exit function waits, goes on with the next one; that one is not cut short when the first
# comes to its end.
cat > p.sml <<'SML'
fun nap n = OS.Process.sleep (Time.fromMilliseconds n)
fun term () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.term)
val () = OS.Process.atExit (fn () => print "C\n")
val () = OS.Process.atExit (fn () => (print "B begins\n"; nap 500; print "B\n"))
val () = OS.Process.atExit (fn () => (ignore (CML.spawn (fn () => (nap 100; term ()))); nap 200))
val () = OS.Process.exit OS.Process.success
SML
"$LEAT" run p.sml
