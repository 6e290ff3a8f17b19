(* Each output stream that is closed is taken from the list of those that are to be flushed at the end, however many there
   are; and those that stay open are flushed, the newest first. *)
val n = 100000
fun stream writer = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF))
val streams = List.tabulate (n, fn _ => stream (TextPrimIO.nullWr ()))
val () = List.app (fn s => TextIO.output (s, "x")) streams
fun closeSome (_, []) = ()
  | closeSome (k, s :: rest) = (if k mod 3 = 0 then () else TextIO.closeOut s; closeSome (k + 1, rest))
val () = closeSome (0, streams)
val () = List.app TextIO.closeOut streams

fun telling name =
  stream
    (TextPrimIO.WR
       {name = name,
        chunkSize = 100,
        writeVec = SOME (fn s => (print (name ^ " " ^ Substring.string s ^ "\n"); Substring.size s)),
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
        ioDesc = NONE})
val named = List.map telling ["a", "b", "c", "d", "e"]
val () = List.app (fn s => TextIO.output (s, "text")) named
(* the newest, the oldest and one in between *)
val () = List.app (fn i => TextIO.closeOut (List.nth (named, i))) [4, 0, 2]
val () = print "the end\n"
