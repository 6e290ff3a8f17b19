# `timeout` sends its signal to the process and to the process's group. The second of the two ended a program at once,
# so what was to be done at its exit was not done, and a profile was lost.
cat > loop.sml <<'S'
fun spin n = if n < 0 then () else spin ((n + 1) mod 1000)
val () = OS.Process.atExit (fn () => (OS.Process.sleep (Time.fromMilliseconds 20); print "at exit\n"))
val () = print "begun\n"
val () = spin 0
S
for i in 1 2 3; do
  timeout 1 "$LEAT" run loop.sml
done
timeout 1 "$LEAT" profile --time loop.sml > profile 2>&1
grep -c 'spin' profile | sed 's/[1-9][0-9]*/a profile/'
