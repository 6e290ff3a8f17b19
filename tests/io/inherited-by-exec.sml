(* Descriptors that Posix gives stay open in a program that is started, as POSIX says; they were closed. Those of TextIO, and
   of Unix, are closed. *)
structure F = Posix.FileSys
structure O = Posix.IO
fun show (name, fd) =
  print (name ^ (if O.FD.anySet (O.FD.cloexec, O.getfd fd) then ": closed\n" else ": open\n"))

val p = O.pipe ()
val number = SysWord.fmt StringCvt.DEC (F.fdToWord (#outfd p))
(* by another way than fork: the shell has the descriptor of this number *)
val () = ignore (OS.Process.system ("echo from the shell >&" ^ number))
val () = print (Byte.bytesToString (O.readVec (#infd p, 100)))
(* and the one that nobody has asked for *)
val q = O.pipe ()
val () =
  case Posix.Process.fork () of
    NONE => (show ("a pipe, in a child", #infd q); Posix.Process.exit 0w0)
  | SOME pid => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, []))
val () = show ("a pipe", #outfd q)
(* without a fork behind it, by a number that the program knows *)
val () =
  case Posix.Process.fork () of
    NONE =>
      let
        val next = O.dup F.stdin
        val number = SysWord.fmt StringCvt.DEC (F.fdToWord next)
        val () = O.close next
        val {outfd, ...} = O.pipe ()
      in
        ignore (O.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "from before\n")));
        Posix.Process.exec ("/bin/sh", ["sh", "-c", "read line <&" ^ number ^ "; echo $line"])
      end
  | SOME pid => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, []))
val file = OS.FileSys.tmpName ()
val f = F.openf (file, F.O_RDONLY, F.O.flags [])
val () = (show ("openf", f); show ("creat", F.creat (file, F.S.irwxu)); show ("dup", O.dup f))
val () = O.setfd (f, O.FD.cloexec)
val () = show ("openf, set", f)
(* a FIFO, which is opened by an OS thread of the pool *)
val fifo = file ^ ".fifo"
val () = F.mkfifo (fifo, F.S.irwxu)
val toWrite = SyncVar.iVar ()
val _ = CML.spawn (fn () => SyncVar.iPut (toWrite, F.openf (fifo, F.O_WRONLY, F.O.flags [])))
val () = show ("a FIFO to read", F.openf (fifo, F.O_RDONLY, F.O.flags []))
val () = show ("a FIFO to write", SyncVar.iGet toWrite)

fun ofText s =
  case TextIO.StreamIO.getReader (TextIO.getInstream s) of
    (TextPrimIO.RD {ioDesc = SOME d, ...}, _) => valOf (F.iodToFD d)
  | _ => raise Fail "no descriptor"
val () = show ("TextIO", ofText (TextIO.openIn file))
val child : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/cat", [])
val () = show ("Unix", ofText (Unix.textInstreamOf child))
val () = (OS.FileSys.remove file; OS.FileSys.remove fifo)
