(* print writes to where TextIO.stdOut is bound: the library of utilities binds it to files for a while. *)

val () = print "before\n"
val f = OS.FileSys.tmpName ()
val out = TextIO.openOut f
val saved = TextIO.getOutstream TextIO.stdOut
val () = TextIO.setOutstream (TextIO.stdOut, TextIO.getOutstream out)
val () = print "redirected\n"
val () = TextIO.print "twice\n"
val () = TextIO.output (TextIO.stdOut, "thrice\n")
val () = TextIO.setOutstream (TextIO.stdOut, saved)
val () = TextIO.closeOut out
val () = print "after\n"
val i = TextIO.openIn f
val () = print (TextIO.inputAll i)
val () = TextIO.closeIn i
val () = OS.FileSys.remove f
(* To a closed stream it is an error; it had gone on. Closing the stream lets go of the descriptor. *)
val again = Posix.IO.dup Posix.FileSys.stdout
val () = TextIO.closeOut TextIO.stdOut
val failed = (print "lost\n"; false) handle IO.Io {cause = IO.ClosedStream, ...} => true
val () = TextIO.setOutstream (TextIO.stdOut, TextIO.StreamIO.mkOutstream
  (Posix.IO.mkTextWriter {fd = again, name = "again", initBlkMode = true, appendMode = false, chunkSize = 64}, IO.LINE_BUF))
val () = print ("closed: " ^ Bool.toString failed ^ "\n")
