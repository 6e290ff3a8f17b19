(* Posix: limits of files and of the system, locks between processes, settings of terminals. *)
fun line s = print (s ^ "\n")
fun check (name, ok) = line (name ^ ": " ^ (if ok then "yes" else "NO"))
fun error f = (ignore (f ()); "none") handle OS.SysErr (_, SOME e) => Posix.Error.errorName e
open Posix

(* -- limits *)
val name = OS.FileSys.tmpName ()
val fd = FileSys.openf (name, FileSys.O_RDWR, FileSys.O.flags [])
val () = check ("names of 255 bytes", FileSys.pathconf ("/tmp", "NAME_MAX") = SOME 0w255)
val () = check ("the same by descriptor", FileSys.fpathconf (fd, "NAME_MAX") = FileSys.pathconf (name, "NAME_MAX"))
val () = line ("unknown limit: " ^ error (fn () => FileSys.pathconf ("/", "NAME_MIN")))
val () = line ("no such file: " ^ error (fn () => FileSys.pathconf ("/nonexistent/x", "NAME_MAX")))
val () = line ("no descriptor: " ^ error (fn () => FileSys.fpathconf (FileSys.wordToFD 0w999, "NAME_MAX")))
val () = check ("pages", ProcEnv.sysconf "PAGESIZE" >= 0w4096)
val () = check ("processors", ProcEnv.sysconf "NPROCESSORS_ONLN" >= 0w1)
val () = line ("unknown: " ^ error (fn () => ProcEnv.sysconf "SC_PAGESIZE"))

(* -- locks *)
fun lock (kind, start) = IO.FLock.flock {ltype = kind, whence = IO.SEEK_SET, start = start, len = 10, pid = NONE}
fun byte fd = ignore (IO.writeVec (fd, Word8VectorSlice.full (Byte.stringToBytes ".")))
fun await fd = Word8Vector.length (IO.readVec (fd, 1))
val ready = IO.pipe ()
val go = IO.pipe ()
val child =
  case Process.fork () of
    SOME pid => pid
  | NONE =>
      (* holds the first ten bytes until it is told to end *)
      (ignore (IO.setlk (fd, lock (IO.F_WRLCK, 0)));
       byte (#outfd ready);
       ignore (await (#infd go));
       Process.exit 0w0)
val _ = await (#infd ready)
val found = IO.getlk (fd, lock (IO.F_RDLCK, 5))
val () = check ("the child has it", IO.FLock.ltype found = IO.F_WRLCK andalso IO.FLock.pid found = SOME child)
val () = check ("its bytes", IO.FLock.start found = 0 andalso IO.FLock.len found = 10)
val free = IO.getlk (fd, lock (IO.F_RDLCK, 10))
val () = check ("the next are free", IO.FLock.ltype free = IO.F_UNLCK)
val () = line ("setlk: " ^ (case error (fn () => IO.setlk (fd, lock (IO.F_WRLCK, 0))) of "acces" => "again" | e => e))
(* setlkw parks the thread: the other one can run, and lets the child end *)
val _ = CML.spawn (fn () => (line "the other thread runs"; byte (#outfd go)))
val held = IO.setlkw (fd, lock (IO.F_WRLCK, 0))
val () = check ("had at last", IO.FLock.ltype held = IO.F_WRLCK)
val () = check ("the child ended", #1 (Process.waitpid (Process.W_CHILD child, [])) = child)
val () = ignore (IO.setlk (fd, lock (IO.F_UNLCK, 0)))
val () = line ("setlkw: " ^ error (fn () => IO.setlkw (FileSys.wordToFD 0w999, lock (IO.F_RDLCK, 0))))

(* -- terminals *)
val () = line ("not a terminal: " ^ error (fn () => TTY.TC.getattr fd))
val () = line ("nor here: " ^ error (fn () => TTY.TC.getpgrp fd))
val () = line ("no output to wait for: " ^ error (fn () => TTY.TC.drain fd))
val cc = TTY.V.cc [(TTY.V.intr, #"\^C"), (TTY.V.eof, #"\^D")]
val () = check ("characters", List.map (fn i => TTY.V.sub (cc, i)) [TTY.V.intr, TTY.V.eof, TTY.V.quit] = [#"\^C", #"\^D", #"\000"])
val () = check ("changed", TTY.V.sub (TTY.V.update (cc, [(TTY.V.intr, #"x")]), TTY.V.intr) = #"x")
val settings =
  TTY.termios {iflag = TTY.I.icrnl, oflag = TTY.O.opost, cflag = TTY.C.cs8, lflag = TTY.L.echo, cc = cc, ispeed = TTY.b9600,
               ospeed = TTY.b9600}
val changed = TTY.CF.setospeed (settings, TTY.b38400)
val () = check ("speeds", TTY.CF.getispeed changed = TTY.b9600 andalso TTY.CF.getospeed changed = TTY.b38400)
val () = check ("their order", TTY.compareSpeed (TTY.b300, TTY.b1200) = LESS)
val () = check ("flags", TTY.C.allSet (TTY.C.csize, TTY.getcflag settings) andalso TTY.getlflag changed = TTY.L.echo)
(* a pseudo terminal, where the system has them *)
val () =
  let
    val fd = FileSys.openf ("/dev/ptmx", FileSys.O_RDWR, FileSys.O.noctty)
    val first = TTY.TC.getattr fd
    val {iflag, oflag, cflag, lflag, cc, ispeed, ospeed} = TTY.fieldsOf first
    val echo = TTY.L.anySet (TTY.L.echo, lflag)
    val lflag = if echo then TTY.L.clear (TTY.L.echo, lflag) else TTY.L.flags [TTY.L.echo, lflag]
    val cc = TTY.V.update (cc, [(TTY.V.erase, #"h")])
    val () =
      TTY.TC.setattr
        (fd, TTY.TC.sanow,
         TTY.termios {iflag = iflag, oflag = oflag, cflag = cflag, lflag = lflag, cc = cc, ispeed = ispeed, ospeed = ospeed})
    val second = TTY.TC.getattr fd
  in
    check ("echo turned", TTY.L.anySet (TTY.L.echo, TTY.getlflag second) <> echo);
    check ("erase set", TTY.V.sub (TTY.getcc second, TTY.V.erase) = #"h");
    check ("the rest stays", TTY.getcflag second = TTY.getcflag first);
    TTY.TC.flush (fd, TTY.TC.ioflush);
    IO.close fd
  end
  handle OS.SysErr _ => app (fn s => check (s, true)) ["echo turned", "erase set", "the rest stays"]
val () = OS.FileSys.remove name
