(* The Basis: standard output is line buffered when it is a terminal. The runtime writes it so, and getBufferMode said
   BLOCK_BUF. It asks the descriptor; a mode that the program has set is told as it is. *)
structure S = TextIO.StreamIO
val s = TextIO.getOutstream TextIO.stdOut
fun mode IO.NO_BUF = "none"
  | mode IO.LINE_BUF = "lines"
  | mode IO.BLOCK_BUF = "blocks"
fun modeOver name =
  let
    val saved = Posix.IO.dup Posix.FileSys.stdout
    val other = Posix.FileSys.openf (name, Posix.FileSys.O_RDWR, Posix.FileSys.O.noctty)
    val () = Posix.IO.dup2 {old = other, new = Posix.FileSys.stdout}
    val found = S.getBufferMode s
  in
    Posix.IO.dup2 {old = saved, new = Posix.FileSys.stdout};
    Posix.IO.close saved;
    Posix.IO.close other;
    mode found
  end
val terminal = modeOver "/dev/ptmx"
val nothing = modeOver "/dev/null"
val () = print (terminal ^ " " ^ nothing ^ " " ^ mode (S.getBufferMode (TextIO.getOutstream TextIO.stdErr)) ^ "\n")
val () = S.setBufferMode (s, IO.NO_BUF)
val () = print (mode (S.getBufferMode s) ^ " " ^ modeOver "/dev/ptmx" ^ "\n")
