# A file that is as large as files may be is an error of the write. SIGXFSZ once ended the program without a word, and what
# other streams had was lost. Children are ended by it, as they expect.
cat > large.sml <<'SML'
val out = BinIO.openOut "large"
val other = TextIO.openOut "other"
val () = TextIO.output (other, "kept\n")
val () = OS.Process.atExit (fn () => print "at exit\n")
val () = BinIO.output (out, Word8Vector.tabulate (1000000, fn _ => 0w0))
  handle IO.Io {cause = OS.SysErr (_, SOME e), function, ...} => print (function ^ ": " ^ OS.errorName e ^ "\n")
fun bySystem command = ignore (OS.Process.system command)
fun byFork command =
  case Posix.Process.fork () of
    NONE => Posix.Process.execp ("sh", ["sh", "-c", command])
  | SOME pid => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, []))
fun byUnix command =
  let val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sh", ["-c", command])
  in print (TextIO.inputAll (Unix.textInstreamOf p)); ignore (Unix.reap p) end
fun all command = List.app (fn run => run command) [bySystem, byFork, byUnix]
(* signal 25, the first bit of the seventh digit from the right *)
val ignored = "grep -q 'SigIgn.*[13579bdf]......$' /proc/self/status && echo ignored || echo default"
val () = all ignored
val xfsz = Posix.Signal.fromWord 0w25
val () = MLton.Signal.setHandler (xfsz, MLton.Signal.Handler.ignore)
val () = all ignored
val () = MLton.Signal.setHandler (xfsz, MLton.Signal.Handler.default)
val () = all ignored
val () = BinIO.output (out, Word8Vector.tabulate (1000000, fn _ => 0w0))
  handle IO.Io {cause = OS.SysErr (_, SOME e), function, ...} => print (function ^ ": " ^ OS.errorName e ^ "\n")
SML
"$LEAT" build -o large.exe large.sml
"$LEAT" run large.sml > /dev/null # compiled before the limit
for run in ./large.exe "$LEAT run large.sml"; do
  (ulimit -f 100; $run | uniq -c | sed 's/^ *//'; echo "${PIPESTATUS[0]}"; cat other)
done
