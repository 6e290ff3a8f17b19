# A program that cannot be started raises SysErr, where the descriptors 0, 1 and 2 are closed, too, as a daemon's are: the error
# number was written to the file of the child's output, and the child seemed to have ended by itself.
cat > p.sml <<'E'
val log = Posix.FileSys.createf ("log", Posix.FileSys.O_WRONLY, Posix.FileSys.O.trunc, Posix.FileSys.S.irwxu)
val out = Posix.IO.dup Posix.FileSys.stderr
fun say s = ignore (Posix.IO.writeVec (out, Word8VectorSlice.full (Byte.stringToBytes (s ^ "\n"))))
val () = app Posix.IO.close [Posix.FileSys.stdin, Posix.FileSys.stdout, Posix.FileSys.stderr]
structure P = MLton.Process
val () =
  (ignore (P.create {path = "/no/such/program", args = [], env = NONE, stdin = P.Param.null, stdout = P.Param.fd log,
                     stderr = P.Param.fd log});
   say "no exception")
  handle e => say ("raised: " ^ exnMessage e)
val () = say ("bytes in the log: " ^ Position.toString (Posix.FileSys.ST.size (Posix.FileSys.stat "log")))
val () = Posix.Process.exit 0w0
E
"$LEAT" run p.sml 2>&1
