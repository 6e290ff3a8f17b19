# The main thread says CML.exit, or the program is deadlocked: exit functions run, and open streams are written out, as at any
# other end. They were left out, and what a file's stream had was lost.
cat > exit.sml <<'SML'
val out = TextIO.openOut "file"
val () = TextIO.output (out, "hello\n")
val () = OS.Process.atExit (fn () => print "atExit\n")
val () = ignore (CML.spawn (fn () => OS.Process.sleep (Time.fromMilliseconds 10)))
val () = CML.exit ()
SML
sed 's/CML.exit ()/CML.recv (CML.channel ())/' exit.sml > deadlock.sml
for program in exit deadlock; do
    rm -f file
    "$LEAT" run $program.sml 2> /dev/null; echo "exit $?"; cat file
    "$LEAT" build $program.sml -o $program && rm -f file
    ./$program 2> /dev/null; echo "exit $?"; cat file
done
