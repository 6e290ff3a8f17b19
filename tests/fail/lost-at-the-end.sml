(* What is in the buffer of a stream when the program ends is written then. If the system did not take it, nothing was said, and
   the exit code was 0. *)
val full = TextIO.openOut "/dev/full"
val () = TextIO.output (full, "a line\n")
(* nobody misses what the reader of a pipe has not read *)
val {infd, outfd} = Posix.IO.pipe ()
val () = Posix.IO.close infd
val pipe =
  TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (Posix.IO.mkTextWriter {fd = outfd,
                                                                          name = "pipe",
                                                                          appendMode = false,
                                                                          initBlkMode = true,
                                                                          chunkSize = 1000},
                                                   IO.BLOCK_BUF))
val () = TextIO.output (pipe, "a line\n")
val () = print "written\n"
