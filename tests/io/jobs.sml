(* Calls that wait for another program's doing: each has an OS thread or a descriptor, so none keeps another from its turn.
   (512 of them, opens of FIFOs here, filled the pool; all further ones waited behind them, also those that would have ended
   the waits, for ever and without a word.) *)
val n = 530
val dir = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove dir; OS.FileSys.mkDir dir)
fun name i = dir ^ "/f" ^ Int.toString i
fun each f = List.app f (List.tabulate (n, fn i => i))
val () = each (fn i => Posix.FileSys.mkfifo (name i, Posix.FileSys.S.irwxu))

val got = CML.channel ()
fun reader i =
  let val file = TextIO.openIn (name i)
  in CML.send (got, TextIO.inputAll file); TextIO.closeIn file end
val () = each (fn i => ignore (CML.spawn (fn () => reader i)))
val () = CML.yield ()

(* meanwhile the others have their turns *)
fun status s = if OS.Process.isSuccess s then "success" else "failure"
val () = print (status (OS.Process.system "true") ^ "\n")
val () = print (status (OS.Process.system "kill -9 $$") ^ "\n")
val shells = CML.channel ()
val () =
  List.app (fn _ => ignore (CML.spawn (fn () => CML.send (shells, OS.Process.system "exit 3"))))
    (List.tabulate (20, fn i => i))
val () = print (Int.toString (length (List.tabulate (20, fn _ => CML.recv shells))) ^ " shells\n")
val () = print (Bool.toString (isSome (NetHostDB.getByName "localhost")) ^ "\n")

val _ = CML.spawn (fn () => each (fn i => let val f = TextIO.openOut (name i) in TextIO.output (f, "x"); TextIO.closeOut f end))
val () = print (Int.toString (size (concat (List.tabulate (n, fn _ => CML.recv got)))) ^ "\n")
val () = each (fn i => OS.FileSys.remove (name i))
val () = OS.FileSys.rmDir dir
