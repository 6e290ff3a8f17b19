# A program that closes its standard output tells the reader of the pipe that this was all, and works on. The descriptor
# stayed as it was, and the reader saw the end only when the program ended: here both would wait for each other.
cat > output.sml <<'SML'
fun closed (name, s) =
  TextIO.output (TextIO.stdErr,
                 name ^ ": " ^ ((TextIO.output (s, "lost\n"); "open") handle IO.Io {cause, ...} => exnName cause) ^ "\n")
val () = print "all\n"
val () = TextIO.closeOut TextIO.stdOut
val () = TextIO.closeOut TextIO.stdOut
(* the reader says this when it has seen the end *)
val answer = TextIO.inputLine TextIO.stdIn
val () = TextIO.output (TextIO.stdErr, "the reader: " ^ getOpt (answer, "nothing\n"))
val () = closed ("standard output", TextIO.stdOut)
(* A file that is opened now does not become what children, and the runtime, take for standard output. *)
val fd = Posix.FileSys.openf ("file", Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])
val () = TextIO.output (TextIO.stdErr, if Posix.FileSys.fdToWord fd > 0w2 then "another number\n" else "its number\n")
val _ = OS.Process.system "echo lost; echo of a child >&2"
SML
: > file
mkfifo answers
reader() { timeout 60 cat && echo "the end"; echo "seen" > answers; }
both() {
  "$@" < answers 2> said | reader
  cat said
}
# the other end, so that no open of the FIFO waits
exec 3<> answers
both "$LEAT" run output.sml
"$LEAT" build output.sml -o output
both ./output

# The same with standard error.
cat > error.sml <<'SML'
val () = TextIO.output (TextIO.stdErr, "all\n")
val () = TextIO.closeOut TextIO.stdErr
val () = print ("the reader: " ^ getOpt (TextIO.inputLine TextIO.stdIn, "nothing\n"))
SML
"$LEAT" run error.sml < answers 2>&1 > said | reader
cat said
exec 3>&-

# A session goes on: what it answers goes to the same descriptor.
"$LEAT" repl <<'SML' 2>&1 | grep -v '^Leat'
val () = TextIO.closeOut TextIO.stdOut;
val two = 1 + 1;
SML

# Closed by another handle: print wrote to what is there then, without a word.
cat > handle.sml <<'SML'
val () = TextIO.StreamIO.closeOut (TextIO.getOutstream TextIO.stdOut)
val () = print "lost\n" handle IO.Io _ => TextIO.output (TextIO.stdErr, "closed by another handle\n")
SML
"$LEAT" run handle.sml 2>&1 > /dev/null
