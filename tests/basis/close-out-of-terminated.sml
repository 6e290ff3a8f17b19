(* The Basis: "The only real difference between a terminated stream and a closed one is that in the latter case, the
   stream's primitive I/O writer is closed." So closeOut of a stream that getWriter has terminated closes the writer,
   once, and flushes nothing; it did nothing. And getWriter gives the writer of a terminated stream again, and raises Io
   of a closed one alone. *)
structure S = TextIO.StreamIO
fun writer log =
  TextPrimIO.WR
    {name = "log",
     chunkSize = 100,
     writeVec = SOME (fn part => (log := !log ^ Substring.string part; Substring.size part)),
     writeArr = NONE,
     writeVecNB = NONE,
     writeArrNB = NONE,
     block = NONE,
     canOutput = NONE,
     getPos = NONE,
     setPos = NONE,
     endPos = NONE,
     verifyPos = NONE,
     close = fn () => log := !log ^ "|",
     ioDesc = NONE}
fun try f = f () handle IO.Io {function, cause, ...} => function ^ " " ^ exnMessage cause
fun mode IO.NO_BUF = "none"
  | mode IO.LINE_BUF = "lines"
  | mode IO.BLOCK_BUF = "blocks"
fun get s = mode (#2 (S.getWriter s))
fun say words = print (String.concatWith " " words ^ "\n")

val log = ref ""
val s = S.mkOutstream (writer log, IO.LINE_BUF)
val () = S.output (s, "text")
val () = say ["first", get s, !log]
val () = say ["again", try (fn () => get s)]
val () = say ["output", try (fn () => (S.output (s, "?"); ""))]
val () = say ["closed", try (fn () => (S.closeOut s; !log))]
val () = say ["twice", try (fn () => (S.closeOut s; !log))]
val () = say ["closed", try (fn () => get s)]

(* a file: the descriptor is given back *)
val name = OS.FileSys.tmpName ()
val t = TextIO.openOut name
val f = TextIO.getOutstream t
val TextPrimIO.WR {ioDesc = SOME desc, writeVec = SOME write, ...} = #1 (S.getWriter f)
val () = TextIO.closeOut t
val () = say ["file", (ignore (write (Substring.full "x")); "open") handle e => exnMessage e]
val () = OS.FileSys.remove name
