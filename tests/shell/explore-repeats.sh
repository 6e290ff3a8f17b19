# A run of the explorer is the one that `--sched-seed` repeats.
# Each reads standard input from its beginning: all shared one open file, and a line went to one of them.
echo 7 > in
cat > reads.sml <<'SML'
val () = case TextIO.inputLine TextIO.stdIn of SOME line => print line | NONE => raise Fail "no input"
SML
"$LEAT" run --explore=8 reads.sml < in 2>&1 | grep -o "8 seeds, .*"
cat in | "$LEAT" run --explore=8 reads.sml 2>&1 | grep -o "8 seeds, .*"
# A pipe that stays open is waited for, with a word; one without end is read for a while. (Nothing was said, and memory was used up.)
{ cat in; sleep 3; } | "$LEAT" run --explore=8 reads.sml 2>&1 | grep -o "reads standard input .*\|8 seeds, .*"
yes | "$LEAT" run --explore=3 reads.sml 2>&1 | grep -o "goes on after .*\|3 seeds, .*"
# from where it stands, and it stays there
echo 8 >> in
{ read line; "$LEAT" run --explore=8 reads.sml 2>&1 | grep -o "8 seeds, .*"; "$LEAT" run --sched-seed=2 reads.sml; } < in
"$LEAT" run --explore=2 reads.sml < /dev/null 2>&1 | grep -o "2 of 2 seeds fail.*"
# The alarm is the program's: there was one of the explorer's.
cat > alarm.sml <<'SML'
val () = if Posix.Process.alarm Time.zeroTime = Time.zeroTime then () else raise Fail "somebody's alarm"
SML
"$LEAT" run --explore=4 alarm.sml < /dev/null 2>&1 | grep -o "4 seeds, .*\|4 of 4 .*"
