# A stack limit that is too small for the process's first thread is said, with the exit code 1. (It was a crash.)
[ "$(uname)" = Linux ] || { cat "${0%.sh}.ok"; exit; }
echo 'val () = print "ran\n"' > p.sml
"$LEAT" build p.sml -o p
try() { (ulimit -s $1; shift; "$@" 2>&1) | sed 's/and [0-9]* are/and more are/'; echo ${PIPESTATUS[0]}; }
for command in "$LEAT run p.sml" "$LEAT --help" ./p; do env -i bash -c "$(declare -f try); try 16 $command"; done
# programs that compute with little: their threads' stacks are others
echo 'fun sum 0 = 0 | sum n = n + sum (n - 1) val () = print (Int.toString (sum 1000000) ^ "\n")' > deep.sml
"$LEAT" build deep.sml -o deep
for command in "$LEAT run deep.sml" ./deep; do env -i bash -c "$(declare -f try); try 64 $command"; done
