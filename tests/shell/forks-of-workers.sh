# The child of a fork that exits needs the locks of both standard streams. That of standard error was not held over the fork, so it
# stayed another worker's where that one was writing, and the child never ended.
cat > p.sml <<'SML'
fun log () : unit = (TextIO.output (TextIO.stdErr, "log\n"); log ())
val () = List.app (fn _ => ignore (CML.spawn log)) [1, 2, 3]
fun round 0 = print "done\n"
  | round n =
      case Posix.Process.fork () of
        NONE => OS.Process.exit OS.Process.success
      | SOME pid => (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])); round (n - 1))
val () = round 300
SML
{ timeout -s KILL 100 "$LEAT" run --workers=4 p.sml 2>&1 >&3 | cat > /dev/null; } 3>&1
