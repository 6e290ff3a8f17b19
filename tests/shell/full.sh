# What cannot be written, as on a full disk, is said, and is no success: the exit code is 1, or the program's own if that is not 0.
# (--trace lost its file without a word; --gc-summary, --profile and --help ended with 0.)
[ -c /dev/full ] || { cat "${0%.sh}.ok"; exit; }
# enough threads for more than one write of a trace
cat > p.sml <<'SML'
val () = List.app (fn i => ignore (CML.spawn (fn () => CML.yield ()))) (List.tabulate (3000, fn i => i))
val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 5))
val () = print "ran\n"
SML
cat > three.sml <<'SML'
val () = print "ran\n"
val () = OS.Process.exit (OS.Process.system "exit 3")
SML
try() { "$@" 2> err > out; echo "$? $(cat out) $(cut -c1-90 err)"; }
for option in --trace=/dev/full --profile=time:/dev/full --profile=wait:/dev/full --profile=alloc:/dev/full --profile=calls:/dev/full --gc-summary=/dev/full; do
  try "$LEAT" run $option p.sml
done
try "$LEAT" run --trace=/dev/full --profile=time:/dev/full --gc-summary=/dev/full three.sml
"$LEAT" build p.sml -o p
for option in --trace=/dev/full --profile=wait:/dev/full --gc-summary=/dev/full; do LEAT_RUN=$option try ./p; done
to_full() { "$@" 2>&1 > /dev/full | cut -c1-90; echo ${PIPESTATUS[0]}; }
to_full "$LEAT" --help
to_full "$LEAT" --version
to_full "$LEAT" run --help
to_full "$LEAT" help build
to_full "$LEAT" completions bash
to_full "$LEAT" check --print-pipeline
to_full "$LEAT" run --dump=core p.sml
