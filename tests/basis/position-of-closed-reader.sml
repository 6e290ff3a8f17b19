(* The Basis: a reader that is closed still tells its position; whatever else is asked of it raises ClosedStream. *)
val file = OS.FileSys.tmpName ()
val out = TextIO.openOut file
val () = (TextIO.output (out, "some text"); TextIO.closeOut out)
val s = TextIO.openIn file
val (TextPrimIO.RD {readVec, getPos, setPos, endPos, close, ...}, _) = TextIO.StreamIO.getReader (TextIO.getInstream s)
fun try f = print ((f () handle e => exnName e) ^ "\n")
fun pos () = Position.toString (valOf getPos ())
val () = try (fn () => valOf readVec 4)
val () = try pos
val () = close ()
val () = try pos
val () = close ()
val () = try (fn () => valOf readVec 4)
val () = try (fn () => (valOf setPos 0; "set"))
val () = try (fn () => Position.toString (valOf endPos ()))
val () = OS.FileSys.remove file
