# `timeout` sends its signal to the process and to the process's group. The second of the two ended a program at once,
# so what was to be done at its exit was not done, and a profile was lost.
cat > loop.sml <<'S'
fun spin (n, k) = if k = 0 then () else spin ((n + 1) mod 1000, k - 1)
val () = OS.Process.atExit (fn () => (OS.Process.sleep (Time.fromMilliseconds 20); print "at exit\n"))
val () = spin (0, 100000000)
val () = print "begun\n"
val () = spin (0, ~1)
S
# as `timeout` does, when the program has begun; each of these has a group of its own
set -m
limited() {
  "$@" > said 2>&1 & p=$!
  for i in $(seq 600); do grep -q begun said && break; sleep 0.05; done
  kill -TERM -- $p -$p
  wait $p
}
for i in 1 2 3; do
  limited "$LEAT" run loop.sml
  cat said
done
limited "$LEAT" profile --time loop.sml
grep -c 'spin' said | sed 's/[1-9][0-9]*/a profile/'
