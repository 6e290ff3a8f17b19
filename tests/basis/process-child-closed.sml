(* MLton.Process: the pipe of another process that is given to a new one is closed here, also when the new one is not
   started. It stayed open when a parameter before it could not be opened, or when it was never used: then the other
   process waited for the end of its input, and `reap` for the process, for ever. *)
open MLton.Process
fun sink () : (chain, none, none) t =
  create {path = "/bin/cat", args = [], env = NONE, stdin = Param.pipe, stdout = Param.null, stderr = Param.self}
fun outcome s = print (case reap s of Posix.Process.W_EXITED => "ended\n" | _ => "ended in another way\n")
fun start (stdin, stdout, stderr) : (none, none, none) t =
  create {path = "/bin/echo", args = ["hello"], env = NONE, stdin = stdin, stdout = stdout, stderr = stderr}
fun refused f =
  ignore (f ())
  handle OS.SysErr _ => print "not there, "
       | DoublyRedirected => print "twice, "
val missing = "/no/such/folder/file"

val s = sink ()
val () = refused (fn () => start (Param.file missing, Param.child (getStdin s), Param.self))
val () = outcome s
val s = sink ()
val () = refused (fn () => start (Param.null, Param.file missing, Param.child (getStdin s)))
val () = outcome s
(* the parameters behind it are not even made *)
val s = sink ()
val () =
  refused (fn () =>
    start (Param.null, Param.child (getStdin s), (ignore (Param.child (getStdin s)); Param.self)))
val () = outcome s

(* Once it is closed, its number is somebody else's, and it cannot be used again. It was closed again. *)
val s = sink ()
val p = Param.child (getStdin s)
val first = start (Param.null, p, Param.null)
val other = Posix.FileSys.openf ("/dev/null", Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])
val () = refused (fn () => start (Param.null, p, Param.null))
val () = print (if Posix.FileSys.ST.isChr (Posix.FileSys.fstat other) then "still open, " else "another, ")
val () = Posix.IO.close other
val () = (outcome first; outcome s)
val s = sink ()
val p = Param.child (getStdin s)
val () = outcome s
val () = refused (fn () => start (Param.null, p, Param.null))
val () = print "\n"

(* It may be both outputs of one process. *)
val reader =
  create {path = "/bin/cat", args = [], env = NONE, stdin = Param.pipe, stdout = Param.pipe, stderr = Param.self}
  : (chain, TextIO.instream, none) t
val p = Param.child (getStdin reader)
val writer =
  create {path = "/bin/sh", args = ["-c", "echo out; echo err >&2"], env = NONE, stdin = Param.null, stdout = p, stderr = p}
  : (none, none, none) t
val () = print (TextIO.inputAll (Child.textIn (getStdout reader)))
val () = (outcome writer; outcome reader)
