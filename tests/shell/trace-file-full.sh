# TraceCML.setTraceFile traces to the new file also when the old one cannot be closed, as on a full disk. It kept the old one
# then, and so each time that it was called.
cat > p.sml <<'SML'
val m = TraceCML.traceModule (TraceCML.traceRoot, "m")
val () = TraceCML.traceOn m
fun trace text = TraceCML.trace (m, fn () => [text, "\n"]) handle IO.Io {function, ...} => print (function ^ " failed\n")
fun to place = TraceCML.setTraceFile place handle IO.Io {function, ...} => print (function ^ " failed\n")
val () = (to (TraceCML.TraceToFile "/dev/full"); trace "lost")
val () = (to (TraceCML.TraceToFile "file"); trace "first")
val () = (to (TraceCML.TraceToFile "file"); trace "second")
val () = (to TraceCML.TraceToOut; trace "third")
SML
"$LEAT" run p.sml 2> /dev/null
cat file
