(* IOUtil.withOutstream restores standard output also when the other stream fails, or the function says CML.exit. It
   flushed the other stream first, so all that the program wrote later went to that one. *)
val isFull = ref true
val got = ref ""
fun write part =
  if !isFull then raise Fail "full"
  else (got := !got ^ Substring.string part; Substring.size part)
fun disk () =
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
           close = ignore,
           ioDesc = NONE},
        IO.BLOCK_BUF))
fun toDisk f = IOUtil.withOutstream (disk (), f) ()
fun try f = (f (); print "done\n") handle e => print (exnName e ^ "\n")

val () = print "before\n"
val () = try (fn () => toDisk (fn () => TextIO.output (TextIO.stdOut, "one ")))
(* what the function raises is told *)
val () = try (fn () => toDisk (fn () => (TextIO.output (TextIO.stdOut, "two "); raise Subscript)))
val () = try (fn () => toDisk (fn () => toDisk (fn () => (TextIO.output (TextIO.stdOut, "three "); raise Div))))
fun exits () = toDisk (fn () => (TextIO.output (TextIO.stdOut, "four "); CML.exit ()))
val () = CML.sync (CML.joinEvt (CML.spawn exits))
val () = print "after\n"
val () = isFull := false
val stream = disk ()
val () = try (IOUtil.withOutstream (stream, fn () => TextIO.output (TextIO.stdOut, "five")))
val () = print (!got ^ "\n")
