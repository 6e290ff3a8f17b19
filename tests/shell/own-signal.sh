# A program that sends itself the signal of a crash ends by it before the call returns. The handler once ran on another OS
# thread, while the program went on, perhaps to its end: there Rust's own handler, put back meanwhile, passed the signal over,
# and the exit code was 0; a test that did so was ok.
cat > own.sml <<'SML'
val signal = valOf (Word.fromString (hd (CommandLine.arguments ())))
fun send to = (print "sent\n"; TextIO.flushOut TextIO.stdOut; Posix.Process.kill (to, Posix.Signal.fromWord signal))
val () =
  send (case tl (CommandLine.arguments ()) of
      [] => Posix.Process.K_PROC (Posix.ProcEnv.getpid ())
    | _ => (Posix.ProcEnv.setpgid {pid = NONE, pgid = NONE}; Posix.Process.K_SAME_GROUP))
val () = print "alive\n"
SML
"$LEAT" build -o own own.sml
ulimit -c 0
# SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT
for signal in b 7 8 4 6; do
  for i in 1 2 3; do
    ("$LEAT" run own.sml $signal; echo $?) 2>&1
    (./own $signal; echo $?) 2>&1
  done
done | grep -v -i 'core dumped\|fault\|error\|exception\|illegal\|abort' | sort | uniq -c | sed 's/^ *//'
(./own b group; echo $?) 2>&1 | grep -v fault
cat > own_test.sml <<'SML'
val () = Test.test "sends" (fn () =>
  Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.segv))
SML
"$LEAT" test own_test.sml 2>&1 | grep -c '^ok'
# One that ends a program does so, too, though the program waits for what cannot come as soon as it has sent it: that was
# called a deadlock while the signal was on its way to another OS thread.
cat > waits.sml <<'SML'
val () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.term)
val _ = CML.recv (CML.channel () : int CML.chan)
SML
cat > waits-group.sml <<'SML'
val () = Posix.ProcEnv.setpgid {pid = NONE, pgid = NONE}
val () = Posix.Process.kill (Posix.Process.K_SAME_GROUP, Posix.Signal.term)
val _ = CML.recv (CML.channel () : int CML.chan)
SML
for program in waits waits-group; do
  for i in $(seq 20); do "$LEAT" run --workers=2 $program.sml; echo $?; done 2>&1 | sort | uniq -c | sed 's/^ *//'
done
