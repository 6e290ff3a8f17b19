# Whoever ends `leat run --explore` ends the runs that it has started: two of them went on, at full load, for 20 seconds of the
# processor's time.
echo 'fun loop n = if n < 0 then () else loop (n + 1) val () = loop 0' > loop.sml
"$LEAT" run --explore=4 loop.sml > /dev/null 2>&1 & p=$!
for i in $(seq 300); do runs=$(ps -o pid= --ppid $p | tr -s ' \n' ' '); [ "${runs// /}" ] && break; sleep 0.1; done
[ "${runs// /}" ] && echo it runs
kill -KILL $p
wait $p 2> /dev/null
goes_on() { ps -o stat= -p $1 | grep -v Z > /dev/null; }
for run in $runs; do for i in $(seq 100); do goes_on $run || break; sleep 0.1; done; goes_on $run && echo a run goes on; done
echo over
