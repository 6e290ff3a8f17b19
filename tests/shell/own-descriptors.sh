# The runtime's own descriptors are no business of the program's.
# A daemon closes all that it may have inherited: the next file had the number of the poller, and the program ended with an
# internal error.
cat > daemon.sml <<'SML'
val () = OS.Process.sleep (Time.fromMilliseconds 10)
fun close n = Posix.IO.close (Posix.FileSys.wordToFD (SysWord.fromInt n)) handle OS.SysErr _ => ()
val () = List.app close (List.tabulate (2000, fn i => i + 3))
val out = TextIO.openOut "log"
val {infd, outfd} = Posix.IO.pipe ()
val _ =
  CML.spawn (fn () =>
    (OS.Process.sleep (Time.fromMilliseconds 10);
     ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x")))))
val () = ignore (Posix.IO.readVec (infd, 1))
val () = TextIO.closeOut out
val () = print (Int.toString (Position.toInt (OS.FileSys.fileSize "log")) ^ " bytes, alive\n")
val () = ignore (OS.Process.system "echo a command")
SML
timeout -s KILL 60 "$LEAT" run daemon.sml 2>&1
# Nor is the file of a trace: what was traced was written into the next file.
timeout -s KILL 60 "$LEAT" run --trace=trace daemon.sml 2>&1
grep -c '"name":"workers"' trace
# They lie above those of the program, also where it may have few.
cat > numbers.sml <<'SML'
val () = OS.Process.sleep (Time.fromMilliseconds 10)
fun next () = Posix.IO.dup Posix.FileSys.stderr
val (a, b) = (next (), next ())
val number = SysWord.toInt o Posix.FileSys.fdToWord
val () = print (if number b = number a + 1 then "the numbers follow each other\n" else "others lie between\n")
SML
timeout -s KILL 60 "$LEAT" run numbers.sml 2>&1
(ulimit -n 60; timeout -s KILL 60 "$LEAT" run numbers.sml 2>&1)
# The child of a fork needs two for itself. Without them it went on with those of its parent, and took its events.
cat > full.sml <<'SML'
val {infd, outfd} = Posix.IO.pipe ()
val () = OS.Process.sleep (Time.fromMilliseconds 10)
fun fill held =
  case SOME (Posix.IO.dup Posix.FileSys.stderr) handle OS.SysErr _ => NONE of SOME fd => fill (fd :: held) | NONE => held
val held = fill []
fun nap 0 = () | nap n = (OS.Process.sleep (Time.fromMilliseconds 1); nap (n - 1))
fun forks () =
  case Posix.Process.fork () of
    NONE => (nap 20; Posix.Process.exit 0w7)
  | SOME child =>
      (ignore (CML.spawn (fn () =>
         List.app (fn _ => (nap 1; ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x")))))
           (List.tabulate (20, fn i => i))));
       List.app (fn _ => ignore (Posix.IO.readVec (infd, 1))) (List.tabulate (20, fn i => i));
       case Posix.Process.waitpid (Posix.Process.W_CHILD child, []) of
         (_, Posix.Process.W_EXITSTATUS 0w7) => print "all came, and the child ended\n"
       | _ => print "the child ended otherwise\n")
val () = forks () handle OS.SysErr (_, error) => print ("no fork: " ^ OS.errorName (valOf error) ^ "\n")
val () = List.app Posix.IO.close held
val () = forks ()
SML
(ulimit -n 500; timeout -s KILL 60 "$LEAT" run full.sml 2>&1)
