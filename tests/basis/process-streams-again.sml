(* MLton.Process.Child gave a stream once, and raised DoublyRedirected when the same function asked again, as programs
   for MLton do; a descriptor that was given to a child stayed open here, so whoever read the other end of the pipe
   never saw the end; `kill` left a zombie. *)
open MLton.Process
fun say s = print (s ^ "\n")
fun start (args, stdin, stdout, stderr) =
  create {path = "/bin/sh", args = "-c" :: args, env = NONE, stdin = stdin, stdout = stdout, stderr = stderr}
fun isOpen fd = (ignore (Posix.FileSys.fstat fd); "open") handle OS.SysErr _ => "closed"

(* each time the same stream, also behind `reap` *)
val p : (TextIO.outstream, TextIO.instream, none) t = start (["cat"], Param.pipe, Param.pipe, Param.self)
val () = TextIO.output (Child.textOut (getStdin p), "one\n")
val () = (TextIO.output (Child.textOut (getStdin p), "two\n"); TextIO.closeOut (Child.textOut (getStdin p)))
fun line () = print (case TextIO.inputLine (Child.textIn (getStdout p)) of SOME s => "line " ^ s | NONE => "the end\n")
val () = (line (); line (); line ())
val _ = reap p
val () = line ()

val p : (BinIO.outstream, BinIO.instream, none) t = start (["cat"], Param.pipe, Param.pipe, Param.self)
val () = app (fn w => BinIO.output1 (Child.binOut (getStdin p), w)) [0w1, 0w2]
val () = BinIO.closeOut (Child.binOut (getStdin p))
fun byte () = say (case BinIO.input1 (Child.binIn (getStdout p)) of SOME w => Word8.toString w | NONE => "the end")
val () = (byte (); byte (); byte ())
val _ = reap p

(* the descriptor, too; `reap` closes it, and no other that has its number since *)
val p : (Posix.IO.file_desc, Posix.IO.file_desc, none) t = start (["cat"], Param.pipe, Param.pipe, Param.self)
val () = say (Bool.toString (Child.fd (getStdin p) = Child.fd (getStdin p)))
val _ = Posix.IO.writeVec (Child.fd (getStdin p), Word8VectorSlice.full (Byte.stringToBytes "hello\n"))
val number = Child.fd (getStdout p)
val () = print (Byte.bytesToString (Posix.IO.readVec (number, 6)))
val () = Posix.IO.close number
val () = Posix.IO.dup2 {old = Posix.FileSys.stderr, new = number}
val _ = reap p
val () = say (isOpen number)
(* which was given behind `reap`, too *)
val () = (Child.fd (getStdout p); say "given") handle DoublyRedirected => say "DoublyRedirected"

(* one that was used in another way *)
val p : (none, any, none) t = start ([":"], Param.null, Param.forget Param.pipe, Param.self)
val text : (TextIO.instream, input) Child.t = Child.remember (getStdout p)
val bytes : (BinIO.instream, input) Child.t = Child.remember (getStdout p)
val _ = Child.textIn text
val () = (Child.binIn bytes; say "twice") handle DoublyRedirected => say "DoublyRedirected"
val _ = reap p

(* a descriptor is the child's from then on; it may be both outputs, and those that are standard here stay *)
fun none p : (none, none, none) t = p
val {infd, outfd} = Posix.IO.pipe ()
val p = none (start (["echo out; echo err >&2"], Param.null, Param.fd outfd, Param.fd outfd))
val () = say (isOpen outfd)
val () = print (TextIO.inputAll (MLton.TextIO.newIn (infd, "pipe")))
val _ = reap p
val {infd, outfd} = Posix.IO.pipe ()
val () =
  ignore (start (["echo never"], Param.file "/no/such/file", Param.fd outfd, Param.self))
  handle OS.SysErr _ => say ("not started, " ^ isOpen outfd)
val () = say (Int.toString (Word8Vector.length (Posix.IO.readVec (infd, 1))))
val p = none (start (["echo standard"], Param.null, Param.fd Posix.FileSys.stdout, Param.self))
val _ = reap p
val () = say (isOpen Posix.FileSys.stdout)

(* `kill` reaps *)
val p = none (start (["exec sleep 100"], Param.null, Param.null, Param.null))
val () = (kill (p, Posix.Signal.kill); kill (p, Posix.Signal.kill))
val () =
  (ignore (Posix.Process.waitpid_nh (Posix.Process.W_ANY_CHILD, [])); say "a zombie")
  handle OS.SysErr (_, e) => say (if e = SOME Posix.Error.child then "no child" else "another error")
val () = say (if reap p = Posix.Process.W_SIGNALED Posix.Signal.kill then "killed" else "ended in another way")
