(* The place in a stream that appends is the end of the file from the start; it was 0 until something was written. *)
val name = OS.FileSys.tmpName ()
val s = TextIO.openOut name
val () = (TextIO.output (s, "0123456789"); TextIO.closeOut s)
val s = TextIO.openAppend name
fun place s = Position.toString (TextIO.StreamIO.filePosOut (TextIO.getPosOut s))
val () = print (place s ^ "\n")
val () = TextIO.output (s, "abc")
val () = print (place s ^ "\n")
val () = TextIO.closeOut s
val () = OS.FileSys.remove name
