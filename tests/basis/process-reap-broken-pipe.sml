(* MLton.Process.reap waits for the end of a process that did not read what is in the stream to it, and closes the pipe.
   It raised Io instead (a broken pipe): the process was not waited for, and the descriptor stayed open. *)
open MLton.Process
fun dead () =
  create {path = "/bin/true", args = [], env = NONE, stdin = Param.pipe, stdout = Param.self, stderr = Param.self}
fun outcome p = case reap p of Posix.Process.W_EXITED => "ended\n" | _ => "ended in another way\n"
(* the number that the next descriptor has *)
fun next () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
  in
    Posix.IO.close infd;
    Posix.IO.close outfd;
    Posix.FileSys.fdToWord infd
  end
fun wait () = OS.Process.sleep (Time.fromMilliseconds 50)
val p : (none, none, none) t = dead ()
val () = print (outcome p)
val before' = next ()
val p : (TextIO.outstream, none, none) t = dead ()
val out = Child.textOut (getStdin p)
val () = (TextIO.output (out, "hello\n"); wait (); print (outcome p); print (outcome p))
val p : (BinIO.outstream, none, none) t = dead ()
val out = Child.binOut (getStdin p)
val () = (BinIO.output (out, Byte.stringToBytes "hello\n"); wait (); print (outcome p))
val () = print (if next () = before' then "closed\n" else "still open\n")
(* What the process reads reaches it. *)
val p : (TextIO.outstream, TextIO.instream, none) t =
  create {path = "/bin/cat", args = [], env = NONE, stdin = Param.pipe, stdout = Param.pipe, stderr = Param.self}
val out = Child.textOut (getStdin p)
val () = (TextIO.output (out, "all of it\n"); TextIO.closeOut out)
val () = (print (TextIO.inputAll (Child.textIn (getStdout p))); print (outcome p))
