(* The Basis: a stream that is opened for a terminal gives each line to it; one for anything else has a whole buffer. *)
fun mode name =
  let
    val s = TextIO.openOut name
    val m = TextIO.StreamIO.getBufferMode (TextIO.getOutstream s)
  in
    TextIO.closeOut s;
    case m of IO.NO_BUF => "none" | IO.LINE_BUF => "lines" | IO.BLOCK_BUF => "blocks"
  end
val file = OS.FileSys.tmpName ()
val () = List.app (fn name => print (mode name ^ "\n")) ["/dev/ptmx", "/dev/null", file]
val () = OS.FileSys.remove file
