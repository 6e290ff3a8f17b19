(* A program ends while the OS threads of bound threads stand in a call of the system that does not return: opening a FIFO that
   nobody writes. *)
val fifo = OS.FileSys.tmpName ()
val () = OS.FileSys.remove fifo
val () = Posix.FileSys.mkfifo (fifo, Posix.FileSys.S.irwxu)
fun opens () = (ignore (Posix.FileSys.openf (fifo, Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])); print "opened\n")
  handle OS.SysErr _ => ()
val () = Thread.ready (Thread.bound opens)
val () = Thread.ready (Thread.bound (fn () => (ignore (TextIO.openIn fifo); print "opened\n") handle IO.Io _ => ()))
val () = OS.Process.sleep (Time.fromMilliseconds 50)
val () = OS.FileSys.remove fifo
val () = print "the end\n"
