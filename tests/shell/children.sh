# Children begin with the signals that this program was given: SIGPIPE ends them, unless it was ignored by the program itself.
# (After OS.Process.system, and after fork and exec, it was ignored, since the runtime ignores it: "yes: Broken pipe".)
# While a command of the shell runs, SIGINT and SIGQUIT are for it; afterwards for this program again.
cat > pipes.sml <<'SML'
fun bySystem command = ignore (OS.Process.system command)
fun byFork command =
  case Posix.Process.fork () of
    NONE => Posix.Process.execp ("sh", ["sh", "-c", command])
  | SOME pid => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, []))
fun byUnix command =
  let val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sh", ["-c", command])
  in print (TextIO.inputAll (Unix.textInstreamOf p)); ignore (Unix.reap p) end
fun bySpawn command =
  let val pid = MLton.Process.spawn {path = "/bin/sh", args = ["sh", "-c", command]}
  in ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])) end
fun all command = List.app (fn run => run command) [bySystem, byFork, byUnix, bySpawn]
val () = all "yes | head -1"
val pipe = "grep -q 'SigIgn.*[1357]...$' /proc/self/status && echo ignored || echo default"
(* a handler is not inherited; what the program ignores is *)
val () = MLton.Signal.setHandler (Posix.Signal.pipe, MLton.Signal.Handler.simple (fn () => ()))
val () = all pipe
val () = MLton.Signal.setHandler (Posix.Signal.pipe, MLton.Signal.Handler.ignore)
val () = all pipe
val () = MLton.Signal.setHandler (Posix.Signal.pipe, MLton.Signal.Handler.default)
val () = all pipe
(* no signal is held back in a child *)
val () = all "grep SigBlk /proc/self/status | tr -d ' \t'"
SML
"$LEAT" run pipes.sml 2>&1 | uniq -c | sed 's/^ *//'
# A failed exec leaves things as they were: a lost reader is an error, not the end.
cat > failed.sml <<'SML'
val () = Posix.Process.exec ("/no/such/program", []) handle OS.SysErr _ => print "no such program\n"
val {infd, outfd} = Posix.IO.pipe ()
val () = Posix.IO.close infd
val () = (ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x"))); print "written\n")
  handle OS.SysErr (text, _) => print (text ^ "\n")
SML
"$LEAT" run failed.sml
cat > interrupted.sml <<'SML'
val me = "$(ps -o ppid= -p $$)"
val s = OS.Process.system ("kill -INT " ^ me ^ "; kill -QUIT " ^ me ^ "; exit 0")
val () = print (if OS.Process.isSuccess s then "the command ended\n" else "it failed\n")
val s = OS.Process.system "kill -INT $$"
val () = print (if OS.Process.isSuccess s then "not interrupted\n" else "the command was interrupted\n")
val () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.int)
val () = OS.Process.sleep (Time.fromSeconds 20)
val () = print "not interrupted\n"
SML
"$LEAT" run interrupted.sml; echo $?
# A report that is asked for while a command runs says what waits: three opens of FIFOs and the command are four jobs.
# It is asked for until each has its thread: on a busy machine two had none at first.
cat > report.sml <<'SML'
val () = Posix.FileSys.mkfifo ("fifo", Posix.FileSys.S.irwxu)
val () = List.app (fn _ => ignore (CML.spawn (fn () => ignore (TextIO.openIn "fifo")))) [1, 2, 3]
val () = CML.yield ()
val _ = OS.Process.system "for i in $(seq 100); do kill -QUIT $PPID; sleep 0.1; grep -q 'which 0 have' said && break; done"
val () = OS.Process.exit OS.Process.success
SML
timeout 20 "$LEAT" run report.sml 2> said; grep -o "^threads .*, opening.*\|jobs .*" said | tail -2
# stopped children, as W.untraced asks for
cat > stopped.sml <<'SML'
open Posix.Process
val pid =
  case fork () of
    NONE => (kill (K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.stop); exit 0w0)
  | SOME pid => pid
val () = case waitpid (W_CHILD pid, [W.untraced]) of (_, W_STOPPED _) => print "stopped\n" | _ => print "something else\n"
val () = kill (K_PROC pid, Posix.Signal.cont)
val () = case waitpid (W_CHILD pid, []) of (_, W_EXITED) => print "exited\n" | _ => print "something else\n"
SML
timeout 20 "$LEAT" run stopped.sml
