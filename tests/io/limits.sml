(* A read may give less than was asked for, so asking for much costs nothing. (All of it was allocated first: OutOfMemory.)
   Descriptors used up are an exception, nothing is lost by it, and it goes on when some are free again. *)
fun line s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun show v = line (Byte.bytesToString v)
val huge = 1000000000000

val (a, b) : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock = UnixSock.Strm.socketPair ()
fun send s = ignore (Socket.sendVec (a, bytes s))
val () = (send "one"; show (Socket.recvVec (b, huge)))
val () = (send "two"; show (Socket.recvVec' (b, huge, {peek = true, oob = false})))
val () = show (valOf (Socket.recvVecNB (b, huge)))
val () = line (case Socket.recvVecNB (b, huge) of NONE => "none" | SOME _ => "some")
val () = (send "three"; show (CML.sync (Socket.recvVecEvt (b, huge))))
val () = (ignore (Socket.recvVec (b, ~1)); line "no Size") handle Size => line "Size"

val (c, d) : UnixSock.dgram_sock * UnixSock.dgram_sock = UnixSock.DGrm.socketPair ()
val address = UnixSock.toAddr "/tmp/leat-test-limits"
val host = valOf (NetHostDB.fromString "127.0.0.1")
val from = INetSock.UDP.socket ()
val to = INetSock.UDP.socket ()
val () = Socket.bind (to, INetSock.toAddr (host, 0))
val at = Socket.Ctl.getSockName to
val () = Socket.sendVecTo (from, at, bytes "datagram")
val () = show (#1 (Socket.recvVecFrom (to, huge)))
val () = Socket.sendVecTo (from, at, Word8VectorSlice.full (Word8Vector.tabulate (60000, fn _ => 0w1)))
val () = line (Int.toString (Word8Vector.length (#1 (Socket.recvVecFrom (to, huge)))))
val () = line (case Socket.recvVecFromNB (to, huge) of NONE => "none" | SOME _ => "some")

val {infd, outfd} = Posix.IO.pipe ()
val () = (ignore (Posix.IO.writeVec (outfd, bytes "pipe")); show (Posix.IO.readVec (infd, huge)))
val () = (ignore (Posix.IO.readVec (infd, ~1)); line "no Size") handle Size => line "Size"

val name = OS.FileSys.tmpName ()
val out = BinIO.openOut name
val () = BinIO.output (out, Word8Vector.tabulate (300000, Word8.fromInt))
val () = BinIO.closeOut out
val BinPrimIO.RD {readVec = SOME read, readVecNB = SOME readNB, close, ...} = #1 (BinIO.StreamIO.getReader (BinIO.getInstream (BinIO.openIn name)))
val () = line (Int.toString (Word8Vector.length (read huge)) ^ " " ^ Int.toString (Word8Vector.length (read huge)))
val () = line (Int.toString (Word8Vector.length (valOf (readNB huge))))
val () = close ()
val s = TextIO.openIn name
val () = line (Int.toString (size (TextIO.inputN (s, huge))))
val () = TextIO.closeIn s
val s = TextIO.openIn "/proc/self/stat"
val TextPrimIO.RD {readVec = SOME read, close, ...} = #1 (TextIO.StreamIO.getReader (TextIO.getInstream s))
val () = line (Bool.toString (size (read huge) > 100))
val () = close ()
val PrimIO = TextPrimIO.augmentReader (TextPrimIO.RD
  {name = "by arrays", chunkSize = 1, readVec = NONE,
   readArr = SOME (fn slice => (CharArraySlice.update (slice, 0, #"x"); 1)), readVecNB = NONE, readArrNB = NONE,
   block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE,
   close = fn () => (), ioDesc = NONE})
val TextPrimIO.RD {readVec = SOME read, ...} = PrimIO
val () = line (read huge)
val () = OS.FileSys.remove name

(* all descriptors; each way to get one fails in its turn, and what it had begun is closed *)
fun opened () =
  let
    val d = OS.FileSys.openDir "/proc/self/fd"
    fun count n = case OS.FileSys.readDir d of NONE => n | SOME _ => count (n + 1)
  in
    count 0 before OS.FileSys.closeDir d
  end
val start = opened ()
val server : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (server, INetSock.toAddr (host, 0))
val () = Socket.listen (server, 5)
val client : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.connect (client, Socket.Ctl.getSockName server)
fun all held =
  case SOME (Posix.IO.dup Posix.FileSys.stderr) handle OS.SysErr _ => NONE of
    SOME fd => all (fd :: held)
  | NONE => held
val {hard, ...} = MLton.Rlimit.get MLton.Rlimit.numFiles
val () = MLton.Rlimit.set (MLton.Rlimit.numFiles, {soft = SysWord.fromInt (opened () + 10), hard = hard})
val held = all []
fun fails (what, f) = (f (); line (what ^ " works")) handle OS.SysErr _ => line (what ^ ": SysErr") | IO.Io _ => line (what ^ ": Io")
val () = List.app fails
  [("socket", fn () => ignore (INetSock.TCP.socket () : Socket.active INetSock.stream_sock)),
   ("pair", fn () => ignore (UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock)),
   ("acceptNB", fn () => ignore (Socket.acceptNB server)),
   ("openIn", fn () => ignore (TextIO.openIn "/dev/null")),
   ("openOut", fn () => ignore (TextIO.openOut "/dev/null")),
   ("pipe", fn () => ignore (Posix.IO.pipe ())),
   ("openDir", fn () => ignore (OS.FileSys.openDir "/")),
   ("execute", fn () => ignore (Unix.execute ("/bin/true", [])))]
(* The only one that waits: a server goes on when a client has gone. It raised SysErr, and servers ended. *)
val accepted = SyncVar.iVar ()
val _ = CML.spawn (fn () => SyncVar.iPut (accepted, #1 (Socket.accept server)))
val () = OS.Process.sleep (Time.fromMilliseconds 20)
val () = line (if isSome (SyncVar.iGetPoll accepted) then "accepted" else "accept waits")
val () = List.app Posix.IO.close held
val () = fails ("accept", fn () => Socket.close (SyncVar.iGet accepted))
fun refused 0 = ()
  | refused n =
      let val s : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
      in
        (Socket.connect (s, INetSock.toAddr (host, 1)); line "connected") handle OS.SysErr _ => ();
        Socket.close s;
        refused (n - 1)
      end
val () = refused 200
val () = (Socket.close client; Socket.close server)
val () = line (if opened () = start then "none lost" else "lost " ^ Int.toString (opened () - start))
