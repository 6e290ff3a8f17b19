# A reader of standard output that stands still does not keep a program from its end.
# The second signal ends it at once, also where threads wait for the reader and an exit function takes its time: the handler
# itself waited in a write, for ever, and no further signal came through.
mkfifo still
sleep 1000 < still & reader=$!
cat > printing.sml <<'SML'
val () = OS.Process.atExit (fn () => OS.Process.sleep (Time.fromSeconds 100))
fun go () : unit = (print (CharVector.tabulate (10000, fn _ => #"x") ^ "\n"); TextIO.output (TextIO.stdErr, "."); go ())
val () = go ()
SML
"$LEAT" build printing.sml -o printing
./printing > still 2> dots & p=$!
for i in $(seq 200); do before=$(wc -c < dots); sleep 0.3; [ $before -gt 0 -a $before = $(wc -c < dots) ] && break; done
# sooner than 0.1 s after the first one, a signal is taken for the same
for i in $(seq 50); do kill -TERM $p 2> /dev/null || break; sleep 0.2; done
kill -KILL $p 2> /dev/null && echo "it goes on"
wait $p; echo $?
# A crash is told, and ends it.
cat > crash.sml <<'SML'
fun go () : unit = (print (CharVector.tabulate (10000, fn _ => #"x") ^ "\n"); go ())
val _ = CML.spawn go
val () = OS.Process.sleep (Time.fromMilliseconds 200)
val () = MLton.Pointer.setInt32 (MLton.Pointer.null, 0, 1)
SML
timeout -s KILL 60 "$LEAT" run crash.sml > still 2> said; echo $?
grep -o "the program crashed: invalid memory access at 0x0*" said
kill $reader
