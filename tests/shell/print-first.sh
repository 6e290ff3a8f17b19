# What a program has printed is out before any other effect of it can be seen: another descriptor, a child, a socket, the
# end by whatever way. On a pipe and on a file, in memory and built, with one worker and with two. (The Basis says that
# `print` flushes. It was kept in a buffer until the program waited or ended, so that SIGKILL lost it.)
try() {
  cat > $1.sml
  "$LEAT" build $1.sml -o $1
  { "$LEAT" run $1.sml 2>&1 | cat
    "$LEAT" run $1.sml > file 2>&1; cat file
    "$LEAT" run --workers=2 $1.sml 2>&1 | cat
    ./$1 2>&1 | cat
    ./$1 > file 2>&1; cat file; } 2>/dev/null | paste -sd ' ' | sed "s/^/$1: /"
}

try kill <<'SML'
val () = print "before\n"
val () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.kill)
SML
# Whoever prints much has a buffer; nobody sees it.
try many-then-kill <<'SML'
fun go 0 = () | go n = (print (if n mod 500 = 0 then Int.toString n ^ "\n" else ""); go (n - 1))
val () = go 1000
val () = print "last\n"
val () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.kill)
SML
try flush-then-kill <<'SML'
val () = TextIO.output (TextIO.stdOut, "flushed\n")
val () = TextIO.flushOut TextIO.stdOut
val () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.kill)
SML
try exit <<'SML'
val () = print "printed\n"
val _ = Posix.Process.exit 0w3
SML
try write <<'SML'
fun two () = Posix.IO.writeVec (Posix.FileSys.stdout, Word8VectorSlice.full (Byte.stringToBytes "2\n"))
fun go 0 = () | go n = (print "1\n"; two (); go (n - 1))
val () = go 3
(* more prints than are written one by one *)
fun ones 0 = () | ones n = (print ""; ones (n - 1))
val () = ones 100
val () = go 3
SML
try standard-error <<'SML'
fun go 0 = () | go n = (print "o"; TextIO.output (TextIO.stdErr, "e"); go (n - 1))
val () = go 60
SML
try child <<'SML'
fun go 0 = ()
  | go n =
      (print (Int.toString n);
       if n mod 20 = 0 then ignore (OS.Process.system "printf c") else ();
       go (n - 1))
val () = go 60
SML
try socket <<'SML'
val (a, b) : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock = UnixSock.Strm.socketPair ()
val one = Word8VectorSlice.full (Byte.stringToBytes "x")
fun go n =
  if n = 0 then ()
  else (ignore (Socket.recvVec (b, 1)); print "p"; ignore (Socket.sendVec (b, one)); go (n - 1))
fun child n =
  if n = 0 then ()
  else (print "c"; ignore (Socket.sendVec (a, one)); ignore (Socket.recvVec (a, 1)); child (n - 1))
val () =
  case Posix.Process.fork () of
    NONE => child 50
  | SOME _ => (go 50; ignore (Posix.Process.wait ()))
SML
try redirected <<'SML'
val () = print "old\n"
val saved = Posix.IO.dup Posix.FileSys.stdout
val new = Posix.FileSys.creat ("other", Posix.FileSys.S.irwxu)
fun many 0 = () | many n = (print "x"; many (n - 1))
val () = Posix.IO.dup2 {old = new, new = Posix.FileSys.stdout}
val () = many 100
val () = Posix.IO.dup2 {old = saved, new = Posix.FileSys.stdout}
val () = print ("old " ^ Int.toString (Position.toInt (OS.FileSys.fileSize "other")) ^ "\n")
SML

# While it computes, within about a millisecond: the first and the last of many.
cat > compute.sml <<'SML'
fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
fun go n = if n > 1000 then () else (print (Int.toString n ^ "\n"); go (n + 1))
val () = go 1
val () = print (Int.toString (fib 60))
SML
exec 3< <(exec "$LEAT" run compute.sml 2>/dev/null); p=$!
while read -r -t 60 line <&3; do [ "$line" = 1000 ] && break; done; echo "$line"
kill -KILL $p
