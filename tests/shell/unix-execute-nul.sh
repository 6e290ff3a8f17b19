# An argument with a NUL is refused by OS.SysErr; the four descriptors of the child's pipes were left open each time.
cat > p.sml <<'S'
fun refused () = (ignore (Unix.execute ("/bin/true", ["a\000b"])); print "taken\n") handle OS.SysErr _ => ()
fun times (0, _) = () | times (n, f) = (f () : unit; times (n - 1, f))
val () = times (200, refused)
val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/echo", ["hi"])
val () = print (TextIO.inputAll (Unix.textInstreamOf p))
val _ = Unix.reap p
S
ulimit -n 256
"$LEAT" run p.sml
