(* setOutstream gives the stream another one below also when the old one cannot be flushed. It flushed first, so who had
   redirected a stream to a full disk never got it back. *)
val isFull = ref true
val got = ref ""
fun writer take =
  TextPrimIO.WR
    {name = "disk",
     chunkSize = 100,
     writeVec = SOME take,
     writeArr = NONE,
     writeVecNB = NONE,
     writeArrNB = NONE,
     block = NONE,
     canOutput = NONE,
     getPos = NONE,
     setPos = NONE,
     endPos = NONE,
     verifyPos = NONE,
     close = ignore,
     ioDesc = NONE}
fun disk part =
  if !isFull then raise Fail "full"
  else (got := !got ^ Substring.string part; Substring.size part)
fun full () = TextIO.StreamIO.mkOutstream (writer disk, IO.BLOCK_BUF)
fun try f = (f (); print "done\n") handle IO.Io {function, cause, ...} => print (String.concatWith " " [function, exnMessage cause] ^ "\n")

val saved = TextIO.getOutstream TextIO.stdOut
val f = full ()
val () = TextIO.setOutstream (TextIO.stdOut, f)
val () = TextIO.output (TextIO.stdOut, "text")
val () = try (fn () => TextIO.setOutstream (TextIO.stdOut, saved))
val () = (print "still here\n"; TextIO.output (TextIO.stdOut, "here, too\n"))
(* what is in the old one is not lost *)
val () = isFull := false
val () = (TextIO.StreamIO.closeOut f; print (!got ^ "\n"))

(* Another stream, where the elements are characters or bytes. *)
val () = (isFull := true; got := "")
val s = TextIO.mkOutstream (full ())
val () = TextIO.output (s, "lost")
val () = try (fn () => TextIO.setOutstream (s, TextIO.StreamIO.mkOutstream (writer (fn part => (got := Substring.string part; size (!got))), IO.NO_BUF)))
val () = (TextIO.output (s, "new"); print (!got ^ "\n"))

structure S = BinIO.StreamIO
fun bytes take =
  S.mkOutstream
    (BinPrimIO.WR
       {name = "disk",
        chunkSize = 100,
        writeVec = SOME take,
        writeArr = NONE,
        writeVecNB = NONE,
        writeArrNB = NONE,
        block = NONE,
        canOutput = NONE,
        getPos = NONE,
        setPos = NONE,
        endPos = NONE,
        verifyPos = NONE,
        close = ignore,
        ioDesc = NONE},
     IO.BLOCK_BUF)
fun failing (_ : Word8VectorSlice.slice) : int = if !isFull then raise Fail "full" else 1
fun taking slice = (got := Byte.unpackStringVec slice; Word8VectorSlice.length slice)
val b = BinIO.mkOutstream (bytes failing)
val () = BinIO.output (b, Byte.stringToBytes "lost")
val () = try (fn () => BinIO.setOutstream (b, bytes taking))
val () = (BinIO.output (b, Byte.stringToBytes "bytes"); BinIO.flushOut b; print (!got ^ "\n"))
val () = isFull := false
