# A child that cannot get its pipes, since the table of descriptors is full, is not started. (Where a standard descriptor of
# the parent was closed, it was started without: it read what was its parent's, and nobody was told.)
cat > cat.sml <<'SML'
fun say text = let val log = TextIO.openAppend "log" in TextIO.output (log, text ^ "\n"); TextIO.closeOut log end
fun copied () =
  let
    val process : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/cat", [])
    val (from, to) = Unix.streamsOf process
    val () = (TextIO.output (to, "hello"); TextIO.closeOut to)
    val text = TextIO.inputAll from
  in
    TextIO.closeIn from;
    text ^ (if OS.Process.isSuccess (Unix.reap process) then " and success" else " and failure")
  end
val () = say (copied () handle OS.SysErr (why, _) => why | e => exnMessage e)
SML
"$LEAT" build cat.sml -o cat
for limit in 4 5 6 7 8 9 10 11 12 16; do
  (ulimit -n $limit; echo other | ./cat >&-)
  (ulimit -n $limit; ./cat <&-)
  (ulimit -n $limit; ./cat <&- >&-)
  (ulimit -n $limit; ./cat <&- >&- 2>&-)
done 2> err
sort -u log
