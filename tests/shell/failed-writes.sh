# What a failed write has left stays for the next one, on standard output as in a file; what cannot be written to standard
# error is an exception. (After one failed write all that calls before had put into the buffer of standard output was
# gone, up to 64 KB; and nothing was told of standard error.)
[ -c /dev/full ] || { cat "${0%.sh}.ok"; exit; }
cat > disk.sml <<'SML'
(* Standard output is a full disk for a while. `expected` gets what it is to have in the end. *)
val full = Posix.FileSys.openf ("/dev/full", Posix.FileSys.O_WRONLY, Posix.FileSys.O.flags [])
val out = Posix.IO.dup Posix.FileSys.stdout
fun onto fd = Posix.IO.dup2 {old = fd, new = Posix.FileSys.stdout}
val expected = TextIO.openOut "expected"
fun say text = TextIO.output (TextIO.stdErr, text ^ "\n")
fun line name = name ^ CharVector.tabulate (900, fn _ => #".") ^ "\n"
fun failure (IO.Io {function, cause = OS.SysErr (why, _), ...}) = function ^ ": " ^ why
  | failure e = exnMessage e
fun put text = (TextIO.output (TextIO.stdOut, text); TextIO.output (expected, text))
val () = put (line "before ")
val () = onto full
val () = TextIO.flushOut TextIO.stdOut handle e => say (failure e)
(* it finds room in the buffer *)
val () = (print "printed\n" handle e => say (failure e); TextIO.output (expected, "printed\n"))
fun fill n = (put (line ("line " ^ Int.toString n ^ " ")); fill (n + 1)) handle e => (say (failure e); n)
val count = fill 0
val () = say (if count > 60 then "a buffer is full" else "few")
(* nothing more is accepted, however often that is tried *)
fun refused 0 = 0
  | refused n = ((TextIO.output (TextIO.stdOut, line "lost "); 0) handle IO.Io _ => 1) + refused (n - 1)
val () = say (Int.toString (refused 20000) ^ " refused")
val () = print (line "lost ") handle e => say (failure e)
(* a child does not write it, too *)
val () =
  case Posix.Process.fork () of
    NONE => (onto out; TextIO.flushOut TextIO.stdOut; Posix.Process.exit 0w0)
  | SOME child => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD child, []))
val () = onto out
val () = put "room again\n"
val () = (TextIO.flushOut TextIO.stdOut; put "the end\n"; TextIO.closeOut expected)
SML
cat > ends.sml <<'SML'
val () = print "a" handle IO.Io _ => TextIO.output (TextIO.stdErr, "told\n")
SML
cat > errors.sml <<'SML'
fun try name f = (f (); print (name ^ ": no exception\n")) handle e => print (name ^ ": " ^ exnMessage e ^ "\n")
val err = TextIO.getOutstream TextIO.stdErr
val () = try "output" (fn () => TextIO.output (TextIO.stdErr, "x\n"))
val () = try "again" (fn () => TextIO.output1 (TextIO.stdErr, #"x"))
val () = try "StreamIO" (fn () => TextIO.StreamIO.output (err, "y\n"))
val () = try "threads" (fn () => ignore (CML.sync (CML.joinEvt (CML.spawn (fn () => raise Fail "not seen")))))
val () = raise Fail "not seen either"
SML
"$LEAT" build disk.sml -o disk
for command in ./disk "$LEAT run disk.sml"; do
  $command > out 2> err; echo $?
  cut -c1-80 err
  cmp out expected && echo "all is there"
done
"$LEAT" run ends.sml 2>&1 > /dev/full; echo $?
"$LEAT" run errors.sml 2> /dev/full; echo $?
