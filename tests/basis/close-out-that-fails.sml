(* The Basis: when closeOut cannot flush, the stream is left open. So what was written before is not lost: the program may
   make room, and close again. *)
val isFull = ref true
val got = ref ""
fun write part =
  if !isFull then raise Fail "full"
  else (got := !got ^ Substring.string part; Substring.size part)
val isClosed = ref false
val stream =
  TextIO.mkOutstream
    (TextIO.StreamIO.mkOutstream
       (TextPrimIO.WR
          {name = "disk",
           chunkSize = 100,
           writeVec = SOME write,
           writeArr = NONE,
           writeVecNB = NONE,
           writeArrNB = NONE,
           block = NONE,
           canOutput = NONE,
           getPos = NONE,
           setPos = NONE,
           endPos = NONE,
           verifyPos = NONE,
           close = fn () => isClosed := true,
           ioDesc = NONE},
        IO.BLOCK_BUF))
fun try f = print ((f (); "done") handle IO.Io {name, function, cause} => String.concatWith " " [function, name, exnMessage cause])
fun show () = print (" \"" ^ !got ^ "\" " ^ Bool.toString (!isClosed) ^ "\n")
val () = TextIO.output (stream, "text")
val () = (try (fn () => TextIO.closeOut stream); show ())
val () = (try (fn () => TextIO.output (stream, ", more")); show ())
val () = (try (fn () => TextIO.closeOut stream); show ())
val () = isFull := false
val () = (try (fn () => TextIO.closeOut stream); show ())
val () = (try (fn () => TextIO.closeOut stream); show ())
val () = (try (fn () => TextIO.output (stream, "?")); show ())
