# A signal that ends `leat bench` ends the process that measures, and leaves no file: both stayed.
cat > slow_bench.sml <<'E'
val () = Bench.run "slow" (fn () => OS.Process.sleep (Time.fromMilliseconds 5))
E
export TMPDIR="$PWD/scratch"; mkdir scratch
"$LEAT" bench --time=20000 slow_bench.sml > out 2>&1 &
bench=$!
for _ in $(seq 100); do
  child=$(pgrep -P $bench | head -1)
  [ -n "$child" ] && break
  sleep 0.1
done
sleep 0.5
kill -TERM $bench
wait $bench
echo "exit code $?"
for _ in $(seq 50); do [ -e /proc/$child ] || break; sleep 0.1; done
[ -e /proc/$child ] && echo "the child runs on" || echo "the child has ended"
echo "files left: $(ls -A scratch | wc -l)"
