(* The report of a deadlock names the stream for which a thread waits. A writer of the program's own waits for ever;
   the thread whose call it serves has the stream, and another one waits for that. *)

val nobody : unit CML.chan = CML.channel ()
val writer =
  TextPrimIO.WR
    {name = "log", chunkSize = 8, writeVec = SOME (fn s => (CML.recv nobody; Substring.size s)), writeArr = NONE,
     writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE, endPos = NONE,
     verifyPos = NONE, close = fn () => (), ioDesc = NONE}
val log = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, IO.NO_BUF))
val first = CML.spawn (fn () => TextIO.output (log, "one"))
val second = CML.spawn (fn () => (TextIO.output (log, "two"); print "never\n"))
val () = CML.sync (CML.joinEvt second)
