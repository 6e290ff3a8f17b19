(* One peer that did not read kept a program from ending. The streams over sockets have two seconds at the end, all
   together; a pipe is waited for, and what others can have, they get. *)
fun ms n = Time.fromMilliseconds n
fun pair () = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
val line = CharVector.tabulate (999, fn _ => #"x") ^ "\n"
(* what has come *)
fun got sock =
  case Socket.recvVecNB (sock, 1000) of
    SOME bytes => Byte.bytesToString bytes
  | NONE => "nothing"

(* Done last, since it is registered before the first stream is opened. *)
val atLast = ref [] : (unit -> unit) list ref
val () = OS.Process.atExit (fn () => List.app (fn f => f ()) (rev (!atLast)))
fun later f = atLast := f :: !atLast

(* A thread is in the midst of a write, and has the stream's lock. *)
val (a, unread1) = pair ()
val () =
  let
    val (_, out) = SocketIO.openText a
    fun write () = (TextIO.output (out, line); write ())
  in
    ignore (CML.spawn write)
  end

(* A write was cancelled, and what it has not written stands in the buffer. *)
val (b, unread2) = pair ()
val () =
  let
    val (_, out) = SocketIO.openText b
    fun write () = (TextIO.output (out, line); write ())
  in
    ignore (Scope.within (ms 10) (fn _ => write ()))
  end

(* The same with TLS. *)
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
val (c, unread3) = pair ()
val accepted = SyncVar.iVar ()
val _ = CML.spawn (fn () => SyncVar.iPut (accepted, Tls.accept server unread3))
val () =
  let
    val (_, out) = TlsIO.openBin (Tls.connect (client, "localhost") c)
    val bytes = Byte.stringToBytes line
    fun write () = (BinIO.output (out, bytes); write ())
  in
    ignore (CML.spawn write)
  end
val _ = SyncVar.iGet accepted

(* A writer of the program's own, over a socket. *)
val (d, unread4) = pair ()
val () =
  let
    val never = SyncVar.iVar () : int SyncVar.ivar
    val writer =
      TextPrimIO.WR
        {name = "own", chunkSize = 10, writeVec = SOME (fn _ => SyncVar.iGet never), writeArr = NONE,
         writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE,
         endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = SOME (Socket.ioDesc d)}
  in
    TextIO.StreamIO.output (TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF), "kept")
  end

(* This one has room. *)
val (e, good) = pair ()
val () = TextIO.output (#2 (SocketIO.openText e), "has come\n")
val () = later (fn () => print (got good))

(* A pipe that is read late is waited for. *)
val {infd, outfd} = Posix.IO.pipe ()
val pipe =
  TextIO.mkOutstream
    (TextIO.StreamIO.mkOutstream
       (Posix.IO.mkTextWriter
          {fd = outfd, name = "pipe", appendMode = false, initBlkMode = true, chunkSize = 200000},
        IO.BLOCK_BUF))
val size = 150000
val () = TextIO.output (pipe, CharVector.tabulate (size, fn _ => #"y"))
val pipeRead = ref Time.zeroTime
fun readAll 0 = (pipeRead := Time.now (); print "the pipe is read\n")
  | readAll n = readAll (n - Word8Vector.length (Posix.IO.readVec (infd, n)))
val _ = CML.spawn (fn () => (OS.Process.sleep (Time.fromSeconds 10); readAll size))

(* Until the threads wait. *)
val () = OS.Process.sleep (ms 100)
fun seconds () = LargeInt.toString (Time.toSeconds (Time.- (Time.now (), !pipeRead)))
val () = later (fn () => print (seconds () ^ " seconds after that\n"))
val () = print "the end begins\n"
