# An isolated continuation ends the evaluation, also where an exception was reported before, and while another thread waits.
printf 'raise Fail "first";\nval () = SMLofNJ.Cont.throw (SMLofNJ.Cont.isolate (fn () => print "isolated\\n")) ();\n1+1;\n' |
  "$LEAT" repl 2>&1 | grep -v "^  in"
echo "exit code ${PIPESTATUS[1]}"
printf 'raise Fail "first";\nval _ = CML.spawn (fn () => let fun l () = (OS.Process.sleep (Time.fromSeconds 1); l ()) in l () end);\nval () = SMLofNJ.Cont.throw (SMLofNJ.Cont.isolate (fn () => print "isolated\\n")) ();\n1+1;\n' |
  "$LEAT" repl 2>&1 | grep -v "^  in"
echo "exit code ${PIPESTATUS[1]}"
