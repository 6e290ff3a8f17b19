(* The Basis: the field `function` of Io is the name of the function that raises it. output1 said "output". *)
structure S = TextIO.StreamIO
fun try f = (f (); print "done\n") handle IO.Io {function, cause, ...} => print (function ^ ": " ^ exnMessage cause ^ "\n")
fun both s = (try (fn () => S.output (s, "x")); try (fn () => S.output1 (s, #"x")))
fun failing write =
  S.mkOutstream
    (TextPrimIO.WR
       {name = "failing",
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
        close = fn () => (),
        ioDesc = NONE},
     IO.NO_BUF)
val isFull = ref true
val s = failing (fn part => if !isFull then raise Fail "full" else Substring.size part)
val () = both s
val () = isFull := false
val () = S.closeOut s
val () = both s
(* the runtime's buffer *)
val error = TextIO.getOutstream TextIO.stdErr
val () = S.closeOut error
val () = both error
