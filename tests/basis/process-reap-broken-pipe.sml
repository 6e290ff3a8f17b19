(* MLton.Process.reap waits for the end of a process that did not read what is in the stream to it, and closes the pipe.
   It raised Io instead (a broken pipe): the process was not waited for, and the descriptor stayed open. *)
open MLton.Process
fun dead () =
  create {path = "/bin/true", args = [], env = NONE, stdin = Param.pipe, stdout = Param.self, stderr = Param.self}
fun outcome p = case reap p of Posix.Process.W_EXITED => "ended" | _ => "ended in another way"
(* the number that the next descriptor has *)
fun next () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
  in
    Posix.IO.close infd;
    Posix.IO.close outfd;
    SysWord.toInt (Posix.FileSys.fdToWord infd)
  end
val before' = next ()
fun withText _ =
  let
    val p : (TextIO.outstream, none, none) t = dead ()
  in
    TextIO.output (Child.textOut (getStdin p), "hello\n");
    fn () => outcome p
  end
fun withBytes _ =
  let
    val p : (BinIO.outstream, none, none) t = dead ()
  in
    BinIO.output (Child.binOut (getStdin p), Byte.stringToBytes "hello\n");
    fn () => outcome p
  end
val reaps = List.tabulate (20, withText) @ List.tabulate (20, withBytes)
(* until they have ended *)
val () = OS.Process.sleep (Time.fromMilliseconds 100)
val () = print (if List.all (fn f => f () = "ended" andalso f () = "ended") reaps then "all have ended\n" else "not all\n")
(* The runtime may have opened some of its own meanwhile. *)
val () = print (if next () < before' + 10 then "closed\n" else "still open\n")
(* What the process reads reaches it. *)
val p : (TextIO.outstream, TextIO.instream, none) t =
  create {path = "/bin/cat", args = [], env = NONE, stdin = Param.pipe, stdout = Param.pipe, stderr = Param.self}
val out = Child.textOut (getStdin p)
val () = (TextIO.output (out, "all of it\n"); TextIO.closeOut out)
val () = (print (TextIO.inputAll (Child.textIn (getStdout p))); print (outcome p ^ "\n"))
