# A signal that ends programs, while an exit function waits, goes on with the next one; that one is not cut short when the first
# comes to its end.
cat > p.sml <<'SML'
fun nap n = OS.Process.sleep (Time.fromMilliseconds n)
fun term () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.term)
val () = OS.Process.atExit (fn () => print "C\n")
val (begun, ended) = (ref false, ref false)
fun await r = if !r then () else (nap 5; await r)
val () = OS.Process.atExit (fn () => (print "B begins\n"; begun := true; await ended; nap 200; print "B\n"))
val () = OS.Process.atExit (fn () => (ignore (CML.spawn term); await begun; ended := true))
val () = OS.Process.exit OS.Process.success
SML
"$LEAT" run p.sml
