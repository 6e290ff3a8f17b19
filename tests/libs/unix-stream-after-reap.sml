(* A stream that is asked for behind Unix.reap is closed. It was one over the number that the pipe had, so another file
   was read and closed by it. *)
type proc = (TextIO.instream, TextIO.outstream) Unix.proc
val first : proc = Unix.execute ("/bin/echo", ["hello"])
val _ = Unix.reap first

val name = OS.FileSys.tmpName ()
val out = TextIO.openOut name
val () = (TextIO.output (out, "secret\n"); TextIO.closeOut out)
fun contents s = TextIO.inputAll s handle IO.Io {cause, ...} => exnMessage cause ^ "\n"
fun show (what, s) = print (what ^ ": " ^ (case contents s of "" => "nothing\n" | text => text))

val p : proc = Unix.execute ("/bin/echo", ["hello"])
val _ = Unix.reap p
val others = List.tabulate (3, fn _ => TextIO.openIn name)
val s = Unix.textInstreamOf p
val () = show ("Unix: the program's output", s)
val () = TextIO.closeIn s
val () = List.app (fn other => show ("somebody else's file", other)) others
val () = List.app (fn other => TextIO.closeIn other handle IO.Io _ => ()) others

structure P = MLton.Process
val p =
  P.create {path = "/bin/echo", args = ["hello"], env = NONE, stdin = P.Param.null, stdout = P.Param.pipe,
            stderr = P.Param.self}
val _ = P.reap p
val others = List.tabulate (3, fn _ => TextIO.openIn name)
val () =
  show ("MLton.Process: the program's output", P.Child.textIn (P.getStdout p))
  handle P.DoublyRedirected => print "MLton.Process: DoublyRedirected\n"
val () = OS.FileSys.remove name
