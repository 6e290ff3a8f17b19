(* A NUL ends a string of the system. Where one stood in what goes there, arguments and the environment became longer lists
   (`["a\000b"]` two arguments, `["A=1\000B=2"]` two variables), and a socket's path was cut. All of it is refused. *)
fun refused name f =
  print (name ^ ": " ^ (f () handle OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e) ^ "\n")
fun unit f () = (ignore (f ()); "taken")
val nul = "a\000b"
type proc = (TextIO.instream, TextIO.outstream) Unix.proc

(* arguments and environments of programs, and their names *)
val () = refused "Unix.execute" (unit (fn () => Unix.execute ("/bin/true", [nul]) : proc))
val () = refused "Unix.execute, name" (unit (fn () => Unix.execute ("/bin/true\000", []) : proc))
val () = refused "Unix.executeInEnv" (unit (fn () => Unix.executeInEnv ("/bin/true", [], ["A=1\000B=2"]) : proc))
val () = refused "Posix.Process.exec" (fn () => Posix.Process.exec ("/bin/true", ["true", nul]))
val () = refused "Posix.Process.exec, name" (fn () => Posix.Process.exec ("/bin/true\000", ["true"]))
val () = refused "Posix.Process.execp" (fn () => Posix.Process.execp ("true", ["true", nul]))
val () = refused "Posix.Process.exece" (fn () => Posix.Process.exece ("/bin/true", ["true"], ["A=1\000B=2"]))
val () = refused "MLton.Process.spawn" (unit (fn () => MLton.Process.spawn {path = "/bin/true", args = ["true", nul]}))
val () = refused "MLton.Process.spawnp" (unit (fn () => MLton.Process.spawnp {file = "true", args = ["true", nul]}))
val () =
  refused "MLton.Process.spawne"
    (unit (fn () => MLton.Process.spawne {path = "/bin/true", args = ["true"], env = ["A=1\000B=2"]}))
fun create args : (MLton.Process.none, MLton.Process.none, MLton.Process.none) MLton.Process.t =
  MLton.Process.create
    {path = "/bin/true", args = args, env = NONE, stdin = MLton.Process.Param.self, stdout = MLton.Process.Param.self,
     stderr = MLton.Process.Param.self}
val () = refused "MLton.Process.create" (unit (fn () => create [nul]))
val () = refused "OS.Process.system" (unit (fn () => OS.Process.system "true \000 false"))
val () = refused "OS.Process.systemEvt" (unit (fn () => CML.sync (OS.Process.systemEvt "true \000 false")))

(* the environment *)
val () = refused "MLton.ProcEnv.setenv, name" (unit (fn () => MLton.ProcEnv.setenv {name = nul, value = ""}))
val () = refused "MLton.ProcEnv.setenv, value" (unit (fn () => MLton.ProcEnv.setenv {name = "A", value = nul}))
val () = refused "OS.Process.getEnv" (fn () => Bool.toString (isSome (OS.Process.getEnv "PATH\000")))

(* names of files *)
local
  open Posix.FileSys
in
  val () = refused "OS.FileSys.openDir" (unit (fn () => OS.FileSys.openDir nul))
  val () = refused "OS.FileSys.chDir" (unit (fn () => OS.FileSys.chDir "/\000"))
  val () = refused "OS.FileSys.mkDir" (unit (fn () => OS.FileSys.mkDir nul))
  val () = refused "OS.FileSys.rmDir" (unit (fn () => OS.FileSys.rmDir nul))
  val () = refused "OS.FileSys.isDir" (unit (fn () => OS.FileSys.isDir "/\000"))
  val () = refused "OS.FileSys.isLink" (unit (fn () => OS.FileSys.isLink nul))
  val () = refused "OS.FileSys.readLink" (unit (fn () => OS.FileSys.readLink nul))
  val () = refused "OS.FileSys.fullPath" (unit (fn () => OS.FileSys.fullPath "/\000"))
  val () = refused "OS.FileSys.realPath" (unit (fn () => OS.FileSys.realPath "/\000"))
  val () = refused "OS.FileSys.modTime" (unit (fn () => OS.FileSys.modTime "/\000"))
  val () = refused "OS.FileSys.fileSize" (unit (fn () => OS.FileSys.fileSize "/\000"))
  val () = refused "OS.FileSys.setTime" (unit (fn () => OS.FileSys.setTime (nul, NONE)))
  val () = refused "OS.FileSys.remove" (unit (fn () => OS.FileSys.remove nul))
  val () = refused "OS.FileSys.rename" (unit (fn () => OS.FileSys.rename {old = "a", new = nul}))
  val () = refused "OS.FileSys.access" (fn () => Bool.toString (OS.FileSys.access ("/\000", [])))
  val () = refused "OS.FileSys.fileId" (unit (fn () => OS.FileSys.fileId "/\000"))
  val () = refused "openf" (unit (fn () => openf ("/dev/null\000", O_RDONLY, O.flags [])))
  val () = refused "createf" (unit (fn () => createf (nul, O_WRONLY, O.flags [], S.irwxu)))
  val () = refused "link" (unit (fn () => link {old = nul, new = "a"}))
  val () = refused "symlink" (unit (fn () => symlink {old = nul, new = "a"}))
  val () = refused "mkfifo" (unit (fn () => mkfifo (nul, S.irwxu)))
  val () = refused "chmod" (unit (fn () => chmod (nul, S.irwxu)))
  val () = refused "chown" (unit (fn () => chown (nul, Posix.ProcEnv.getuid (), Posix.ProcEnv.getgid ())))
  val () = refused "utime" (unit (fn () => utime (nul, NONE)))
  val () = refused "pathconf" (unit (fn () => pathconf ("/\000", "NAME_MAX")))
  val () = refused "stat" (unit (fn () => stat "/\000"))
  val () = refused "access" (fn () => Bool.toString (access ("/\000", [])))
end
fun io f () = (f (); "taken") handle IO.Io {cause, ...} => raise cause
val () = refused "TextIO.openIn" (io (fn () => TextIO.closeIn (TextIO.openIn "/dev/null\000")))
val () = refused "TextIO.openOut" (io (fn () => TextIO.closeOut (TextIO.openOut "/dev/null\000")))
val () = refused "TextIO.openAppend" (io (fn () => TextIO.closeOut (TextIO.openAppend "/dev/null\000")))
val () = refused "BinIO.openIn" (io (fn () => BinIO.closeIn (BinIO.openIn "/dev/null\000")))
val () = refused "MLton.TextIO.mkstemp" (unit (fn () => MLton.TextIO.mkstemp "/tmp/leat\000x"))

(* sockets of paths; an abstract name begins with NUL and is all its bytes *)
val () = refused "UnixSock.toAddr" (unit (fn () => UnixSock.toAddr nul))
val () = refused "UnixSock.toAddr, at the end" (unit (fn () => UnixSock.toAddr "a\000"))
val () = print (String.toString (UnixSock.fromAddr (UnixSock.toAddr "\000leat\000x\000")) ^ "\n")
val () = print (String.toString (UnixSock.fromAddr (UnixSock.toAddr "")) ^ "\n")
val () =
  let
    val s : Socket.passive UnixSock.stream_sock = UnixSock.Strm.socket ()
    val name = "\000leat-test-" ^ SysWord.toString (Posix.Process.pidToWord (Posix.ProcEnv.getpid ())) ^ "\000."
  in
    Socket.bind (s, UnixSock.toAddr name);
    print (Bool.toString (UnixSock.fromAddr (Socket.Ctl.getSockName s) = name) ^ "\n");
    Socket.close s
  end
val () = refused "a path of 108" (unit (fn () => UnixSock.toAddr (CharVector.tabulate (108, fn _ => #"a"))))
val () = refused "a name of 108" (unit (fn () => UnixSock.toAddr ("\000" ^ CharVector.tabulate (107, fn _ => #"a"))))
val () = refused "a name of 109" (unit (fn () => UnixSock.toAddr ("\000" ^ CharVector.tabulate (108, fn _ => #"a"))))

(* names of hosts, services and users are not found *)
val () = print (Bool.toString (isSome (NetHostDB.getByName "localhost\000")) ^ "\n")
val () = print (Bool.toString (isSome (NetServDB.getByName ("http\000", NONE))) ^ "\n")
val () = print (Bool.toString (isSome (NetProtDB.getByName "tcp\000")) ^ "\n")
val () = refused "getpwnam" (unit (fn () => Posix.SysDB.getpwnam "root\000"))
val () = refused "getgrnam" (unit (fn () => Posix.SysDB.getgrnam "root\000"))
val () = refused "sysconf" (unit (fn () => Posix.ProcEnv.sysconf "ARG_MAX\000"))
