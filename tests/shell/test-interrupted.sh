# Whoever ends `leat test` or `leat profile` ends what these have started: children of tests ran on, also after Ctrl-C, and a
# profiled server kept its port. The folder of the profile goes, too.
mkdir .git tmp
export TMPDIR=$PWD/tmp
mark=$((RANDOM + 100)).$$
cat > a_test.sml <<SML
val () = Test.test "hangs" (fn () => ignore (OS.Process.system "sleep 3$mark & setsid sleep 4$mark & sleep 5$mark"))
SML
echo "val () = CML.sync (CML.timeOutEvt (Time.fromSeconds 60))" > c.sml
left() { ps -eo args | grep -c "^sleep [345]$mark\$"; }
for signal in TERM HUP; do
  "$LEAT" test a_test.sml > /dev/null 2>&1 & p=$!
  for i in $(seq 300); do [ "$(left)" = 3 ] && break; sleep 0.1; done
  left
  kill -$signal $p
  wait $p; code=$?
  for i in $(seq 100); do [ "$(left)" = 0 ] && break; sleep 0.1; done
  echo test: code $code, $(left) left
done
"$LEAT" profile c.sml > /dev/null 2>&1 & p=$!
for i in $(seq 300); do child=$(ps -o pid= --ppid $p | head -1 | tr -d ' '); [ -n "$child" ] && break; sleep 0.1; done
sleep 1
kill -TERM $p
wait $p
echo profile: code $?
kill -0 "$child" 2> /dev/null && echo the child lives on
ls tmp
