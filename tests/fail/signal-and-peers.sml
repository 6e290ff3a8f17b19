(* A signal did not end a program while a stream to a socket was in a write that the other side does not read. The end
   waits for two seconds, and says what was not written; the exit code stays the signal's. *)
fun pair () = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
fun stuck name =
  let
    val (a, b) = pair ()
    val fd = valOf (Posix.FileSys.iodToFD (Socket.ioDesc a))
    val writer =
      Posix.IO.mkTextWriter {fd = fd, name = name, appendMode = false, initBlkMode = true, chunkSize = 4096}
    val out = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF))
    fun write () = (TextIO.output (out, "not read\n"); write ())
  in
    ignore (CML.spawn write);
    b
  end
val unread = map stuck ["first", "second", "third"]
(* Until the threads wait. *)
val () = OS.Process.sleep (Time.fromMilliseconds 100)
val () = Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.term)
(* for ever *)
val (silent, other) = pair ()
val _ = Socket.recvVec (silent, 1)
val () = print "came back\n"
val () = app Socket.close (other :: unread)
