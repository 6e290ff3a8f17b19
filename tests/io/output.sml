(* Output: each print is written as a whole, whoever else prints; nothing is lost when the program ends while others are
   blocked in input and output; no descriptor is left open. *)

fun say s = print (s ^ "\n")

(* many writers: the lines are all the same, so a mixture shows *)
val line = CharVector.tabulate (99, fn i => chr (97 + i mod 26)) ^ "\n"
val done = CML.channel ()
val () = List.app (fn _ => ignore (CML.spawn (fn () =>
  let fun go 0 = CML.send (done, ()) | go n = (if n mod 2 = 0 then print line else TextIO.output (TextIO.stdOut, line); go (n - 1))
  in go 20 end))) (List.tabulate (20, fn i => i))
val () = List.app (fn _ => CML.recv done) (List.tabulate (20, fn i => i))

(* descriptors: as many as before *)
fun count () =
  let
    val d = OS.FileSys.openDir "/proc/self/fd"
    fun go n = case OS.FileSys.readDir d of NONE => n | SOME _ => go (n + 1)
  in
    go 0 before OS.FileSys.closeDir d
  end
fun use () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val (a, b) = UnixSock.Strm.socketPair ()
    val t = CML.spawn (fn () => ignore (Socket.recvVec (a, 10)) handle OS.SysErr _ => ())
    val () = CML.yield ()
    val none = CML.select [CML.wrap (Socket.recvVecEvt (b, 10), fn _ => false), CML.wrap (CML.timeOutEvt Time.zeroTime, fn () => true)]
    val () = Posix.IO.close infd
    val p = Unix.execute ("/bin/true", []) : (TextIO.instream, TextIO.outstream) Unix.proc
  in
    Posix.IO.close outfd;
    Socket.close a;
    Socket.close b;
    CML.sync (CML.joinEvt t);
    ignore (Unix.streamsOf p);
    ignore (Unix.reap p)
  end
val () = use ()
val () = ignore (OS.Process.system ":")
val before' = count ()
val () = List.app (fn _ => use ()) (List.tabulate (10, fn i => i))
val () = say (Int.toString (count () - before'))

(* blocked in everything that there is, when the program ends *)
val {infd, outfd} = Posix.IO.pipe ()
val (a, b) = UnixSock.Strm.socketPair ()
val () = List.app (ignore o CML.spawn)
  [fn () => ignore (Posix.IO.readVec (infd, 1)),
   fn () => ignore (Socket.recvVec (a, 1)),
   fn () => ignore (CML.sync (Socket.recvVecEvt (b, 1))),
   fn () => ignore (OS.Process.system "sleep 1"),
   fn () => OS.Process.sleep (Time.fromSeconds 1000),
   fn () => CML.sync CML.never]
val () = OS.Process.atExit (fn () => say "at exit")
val () = say "the end"
