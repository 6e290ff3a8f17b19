# A reader that has gone ends the program quietly, as SIGPIPE ends others; 141 is what a shell shows of that. A program that
# handles the exception goes on. (It was an uncaught exception with a back-trace.)
cat > yes.sml <<'SML'
fun go () = (print "y\n"; go ())
val () = go ()
SML
cat > thread.sml <<'SML'
fun go () = (print "y\n"; go ())
val () = RunCML.doit (fn () => (ignore (CML.spawn go); CML.sync (CML.timeOutEvt (Time.fromSeconds 60))), NONE) handle _ => 0
SML
cat > thread.sml <<'SML'
fun go () = (print "y\n"; go ())
val _ = CML.spawn go
val () = CML.sync (CML.timeOutEvt (Time.fromSeconds 60))
SML
cat > few.sml <<'SML'
val () = TextIO.output (TextIO.stdOut, "never read")
SML
cat > errors.sml <<'SML'
fun go () = (TextIO.output (TextIO.stdErr, "y\n"); go ())
val () = go ()
SML
cat > handled.sml <<'SML'
fun go () = (print "y\n"; go ())
val () = go () handle IO.Io {name, cause = OS.SysErr (text, _), ...} => TextIO.output (TextIO.stdErr, name ^ " " ^ text ^ "\n")
val () = OS.Process.exit OS.Process.success
SML
"$LEAT" build yes.sml -o yes
"$LEAT" run yes.sml 2> err | head -1; echo ${PIPESTATUS[0]} "$(cat err)"
./yes 2> err | head -1; echo ${PIPESTATUS[0]} "$(cat err)"
"$LEAT" run thread.sml 2> err | head -1; echo ${PIPESTATUS[0]} "$(cat err)"
mkfifo pipe; exec 4<> pipe; exec 3> pipe; exec 4>&-    # has no reader any more
"$LEAT" run few.sml 2> err >&3; echo $? "$(cat err)"
"$LEAT" run errors.sml 2>&1 >/dev/null | head -1; echo ${PIPESTATUS[0]}
"$LEAT" run handled.sml 2> err | head -1; echo ${PIPESTATUS[0]} "$(cat err)"
# `leat fmt --check` ends like that when nobody reads its list. (It said so of each file that was left, then of one.)
printf 'val  x=1\n' > a.sml; cp a.sml b.sml; cp a.sml c.sml
"$LEAT" fmt --check a.sml b.sml c.sml 2> err >&3; echo $? "$(cat err)"
