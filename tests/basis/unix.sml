(* Unix, Posix, OS.Process, OS.FileSys, OS.IO: programs, pipes, files and directories. *)
fun line s = print (s ^ "\n")
val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/cat", [])
val (from, to) = Unix.streamsOf p
val () = TextIO.output (to, "through\na pipe\n")
val () = TextIO.closeOut to
val () = print (TextIO.inputAll from)
val () = line (case Unix.fromStatus (Unix.reap p) of Unix.W_EXITED => "exited" | _ => "other")
val q : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.executeInEnv ("/bin/sh", ["-c", "echo $WHO; exit 3"], ["WHO=me"])
val () = print (TextIO.inputAll (Unix.textInstreamOf q))
val () = line (case Unix.fromStatus (Unix.reap q) of Unix.W_EXITSTATUS w => Word8.toString w | _ => "other")
val r : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/cat", [])
val () = Unix.kill (r, Posix.Signal.term)
val () = line (case Unix.fromStatus (Unix.reap r) of Unix.W_SIGNALED s => Bool.toString (s = Posix.Signal.term) | _ => "other")
val () = (Unix.execute ("/nonexistent", []) : (TextIO.instream, TextIO.outstream) Unix.proc; ())
  handle OS.SysErr (text, SOME e) => line (text ^ " " ^ Bool.toString (e = Posix.Error.noent))
val () = line (Bool.toString (OS.Process.isSuccess (OS.Process.system "true")) ^ Bool.toString (OS.Process.isSuccess (OS.Process.system "false")))
val () = line (case Unix.fromStatus (OS.Process.system "exit 7") of Unix.W_EXITSTATUS w => Word8.toString w | _ => "other")
val {infd, outfd} = Posix.IO.pipe ()
val () = case Posix.Process.fork () of
    NONE => (ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "from the child")));
             Posix.Process.exit 0w5)
  | SOME pid =>
      (line (Byte.bytesToString (Posix.IO.readVec (infd, 100)));
       case Posix.Process.waitpid (Posix.Process.W_CHILD pid, []) of
         (p, Posix.Process.W_EXITSTATUS w) => line (Bool.toString (p = pid) ^ Word8.toString w)
       | _ => line "other")
val dir = OS.FileSys.tmpName ()
val () = OS.FileSys.remove dir
val () = OS.FileSys.mkDir dir
val here = OS.FileSys.getDir ()
val () = OS.FileSys.chDir dir
val () = app (fn n => TextIO.closeOut (TextIO.openOut n)) ["one", "two", "three"]
val () = Posix.FileSys.symlink {old = "one", new = "link"}
fun names () =
  let
    val d = OS.FileSys.openDir "."
    fun go l = case OS.FileSys.readDir d of SOME n => go (n :: l) | NONE => l
    val l = go []
  in
    OS.FileSys.closeDir d; l
  end
fun sort [] = [] | sort (x :: l) = let val (a, b) = List.partition (fn y => String.< (y, x)) l in sort a @ x :: sort b end
val () = line (String.concatWith " " (sort (names ())))
val () = line (Bool.toString (OS.FileSys.isDir ".") ^ Bool.toString (OS.FileSys.isLink "link") ^ OS.FileSys.readLink "link" ^ Bool.toString (OS.FileSys.isLink "one"))
val () = line (Bool.toString (OS.FileSys.fileId "one" = OS.FileSys.fileId "link") ^ Bool.toString (OS.FileSys.fileId "one" = OS.FileSys.fileId "two"))
val () = OS.FileSys.setTime ("one", SOME (Time.fromSeconds 1000000000))
val () = line (Time.toString (OS.FileSys.modTime "one"))
val () = OS.FileSys.rename {old = "two", new = "zwei"}
val () = line (Bool.toString (OS.FileSys.access ("two", [])) ^ Bool.toString (OS.FileSys.access ("zwei", [OS.FileSys.A_READ, OS.FileSys.A_WRITE])))
val () = line (Bool.toString (OS.FileSys.fullPath "." = OS.FileSys.fullPath dir) ^ OS.FileSys.realPath "link")
val () = OS.FileSys.rmDir dir handle OS.SysErr (_, SOME e) => line (OS.errorName e)
val () = app OS.FileSys.remove (names ())
val () = OS.FileSys.chDir here
val () = OS.FileSys.rmDir dir
val () = (OS.FileSys.modTime dir; ()) handle OS.SysErr (_, SOME e) => line (Bool.toString (OS.syserror "noent" = SOME e))
val d = valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD outfd))
val () = line (Int.toString (length (OS.IO.poll ([OS.IO.pollOut d], SOME Time.zeroTime))))
val () = line (case OS.IO.pollDesc (Posix.FileSys.fdToIOD infd) of SOME d => Int.toString (length (OS.IO.poll ([OS.IO.pollIn d], SOME (Time.fromMilliseconds 5)))) | NONE => "none")
val () = line (Bool.toString (OS.IO.kind (Posix.FileSys.fdToIOD infd) = OS.IO.Kind.pipe))
val () = OS.Process.atExit (fn () => line "second at exit")
val () = OS.Process.atExit (fn () => line "first at exit")
val () = line (Posix.SysDB.Passwd.name (Posix.SysDB.getpwuid (Posix.ProcEnv.wordToUid 0w0)))
(* What the child has printed is out when it ends by the system call; it was lost in the buffer. *)
val () = line "parent"
val () = case Posix.Process.fork () of
    NONE => (print "child\n"; Posix.Process.exit 0w0)
  | SOME pid => (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])); line "parent again")
