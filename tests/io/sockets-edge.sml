(* Edges of sockets, each of which was wrong: descriptors that are closed, connections that were refused, no bytes, linger. *)
fun say s = print (s ^ "\n")
fun try name f = say (name ^ ": " ^ (f () handle OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e))
type stream = Socket.active UnixSock.stream_sock
fun pair () : stream * stream = UnixSock.Strm.socketPair ()
fun none {rds, wrs, exs} = String.concatWith " " (map (Int.toString o length) [rds, wrs, exs])

(* A select of a closed socket never came back, and took all of a processor; a poll said that the descriptor is ready. *)
val (a, b) = pair ()
val closed = Socket.sockDesc a
val () = Socket.close a
fun select (rds, wrs, exs, timeout) () = none (Socket.select {rds = rds, wrs = wrs, exs = exs, timeout = timeout})
val short = SOME (Time.fromMilliseconds 10)
val () = try "select to read" (select ([closed], [], [], NONE))
val () = try "select to write" (select ([], [closed], [], short))
val () = try "select the rest" (select ([], [], [closed], SOME Time.zeroTime))
val () = try "select one of two" (select ([Socket.sockDesc b, closed], [], [], NONE))
val {infd, outfd} = Posix.IO.pipe ()
val desc = OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd)))
val () = Posix.IO.close infd
fun poll timeout () = Int.toString (length (OS.IO.poll ([desc], timeout)))
val () = try "poll" (poll NONE)
val () = try "poll at once" (poll (SOME Time.zeroTime))
val () = try "poll a while" (poll short)
val () = try "pollEvt" (fn () => Int.toString (length (CML.sync (OS.IO.pollEvt [desc]))))
(* closed while a thread waits for it *)
val (a, b) = pair ()
val done = SyncVar.iVar ()
val waiting = Socket.sockDesc a
val _ = CML.spawn (fn () => (try "select, closed meanwhile" (select ([waiting], [], [], NONE)); SyncVar.iPut (done, ())))
val () = OS.Process.sleep (Time.fromMilliseconds 20)
val () = Socket.close a
val () = SyncVar.iGet done

(* The end of a connection is no urgent data, but it is told of. *)
val (a, b) = pair ()
val () = Socket.close b
val () = try "select at the end" (select ([Socket.sockDesc a], [], [], NONE))

(* No bytes were waited for. *)
val (a, b) = pair ()
val noBytes = Word8VectorSlice.full (Word8Vector.fromList [])
val noRoom = Word8ArraySlice.full (Word8Array.array (0, 0w0))
val noFlags = {peek = false, oob = false}
val size = Int.toString o Word8Vector.length
val () = try "recvVec" (fn () => size (Socket.recvVec (a, 0)))
val () = try "recvVec'" (fn () => size (Socket.recvVec' (a, 0, {peek = true, oob = false})))
val () = try "recvArr" (fn () => Int.toString (Socket.recvArr (a, noRoom)))
val () = try "recvArr'" (fn () => Int.toString (Socket.recvArr' (a, noRoom, noFlags)))
val () = try "recvVecNB" (fn () => case Socket.recvVecNB (a, 0) of SOME v => size v | NONE => "NONE")
val () = try "recvArrNB" (fn () => case Socket.recvArrNB (a, noRoom) of SOME n => Int.toString n | NONE => "NONE")
val () = try "recvVecEvt" (fn () => size (CML.sync (Socket.recvVecEvt (a, 0))))
val () = try "recvArrEvt" (fn () => Int.toString (CML.sync (Socket.recvArrEvt (a, noRoom))))
val () = try "sendVec" (fn () => Int.toString (Socket.sendVec (a, noBytes)))
val () = try "sendVecEvt" (fn () => Int.toString (CML.sync (Socket.sendVecEvt (a, noBytes))))
val () = try "recvVec of less" (fn () => size (Socket.recvVec (a, ~1)))
(* also when there are some, which stay *)
val _ = Socket.sendVec (b, Word8VectorSlice.full (Byte.stringToBytes "abc"))
val () = try "recvVec" (fn () => size (Socket.recvVec (a, 0)))
val () = try "recvVec" (fn () => Byte.bytesToString (Socket.recvVec (a, 10)))
(* the full buffer of a connection takes no bytes at once *)
val many = Word8VectorSlice.full (Word8Vector.tabulate (65536, fn _ => 0w0))
fun fill () = case Socket.sendVecNB (a, many) of SOME _ => fill () | NONE => ()
val () = fill ()
val () = try "sendVec" (fn () => Int.toString (Socket.sendVec (a, noBytes)))
val () = try "sendVecEvt" (fn () => Int.toString (CML.sync (Socket.sendVecEvt (a, noBytes))))
val () = Socket.close a
val () = try "recvVec when closed" (fn () => size (Socket.recvVec (a, 0)))

(* A datagram is one also when there is no room for it. *)
val (a, b) : Socket.dgram UnixSock.sock * Socket.dgram UnixSock.sock = UnixSock.DGrm.socketPair ()
val () = try "no datagram" (fn () => case Socket.recvVecFromNB (a, 0) of SOME _ => "some" | NONE => "NONE")

(* After a refused connection the next attempt on the same socket was refused as "aborted". *)
val loopback = valOf (NetHostDB.fromString "127.0.0.1")
type tcp = Socket.active INetSock.stream_sock
fun listening () =
  let val l : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
  in Socket.bind (l, INetSock.toAddr (loopback, 0)); l end
(* nobody listens yet *)
val l = listening ()
val address = Socket.Ctl.getSockName l
val s : tcp = INetSock.TCP.socket ()
fun connect () = (Socket.connect (s, address); "connected")
val () = try "connect" connect
val () = try "connect" connect
val () = try "connectEvt" (fn () => (CML.sync (Socket.connectEvt (s, address)); "connected"))
val () = try "connectNB" (fn () => Bool.toString (Socket.connectNB (s, address)))
val () = try "select" (select ([], [Socket.sockDesc s], [], NONE))
val () = try "getERROR" (fn () => Bool.toString (Socket.Ctl.getERROR s))
val () = try "connectNB" (fn () => Bool.toString (Socket.connectNB (s, address)))
val () = try "select" (select ([], [Socket.sockDesc s], [], NONE))
val () = Socket.listen (l, 5)
(* what the last attempt came to, which nobody has asked for *)
val () = try "connect" connect
val () = try "connect" connect
val (peer, _) = Socket.accept l
val _ = Socket.sendVec (s, Word8VectorSlice.full (Byte.stringToBytes "abc"))
val () = try "recvVec" (fn () => Byte.bytesToString (Socket.recvVec (peer, 10)))

(* Half a second of linger was none, which throws away what was not sent; a time beyond 31 bits was cut. *)
fun linger t =
  try "linger" (fn () =>
    (Socket.Ctl.setLINGER (s, t);
     case Socket.Ctl.getLINGER s of NONE => "NONE" | SOME t => Time.toString t))
val () =
  app (fn t => linger (SOME t))
    [Time.fromSeconds 3, Time.fromMilliseconds 500, Time.fromMilliseconds 1001, Time.fromNanoseconds 1, Time.zeroTime,
     Time.fromSeconds 4294967296, Time.fromSeconds 2147483648, Time.fromNanoseconds (Int.toLarge (valOf Int.maxInt)),
     Time.fromSeconds ~5, Time.fromNanoseconds ~1]
val () = linger NONE
val () = Socket.Ctl.setLINGER (s, SOME (Time.fromMilliseconds 500))
val bytes = 1000000
fun send v = if Word8VectorSlice.length v = 0 then () else send (Word8VectorSlice.subslice (v, Socket.sendVec (s, v), NONE))
val _ =
  CML.spawn (fn () => (send (Word8VectorSlice.full (Word8Vector.tabulate (bytes, fn _ => 0w1))); Socket.close s))
fun got n = case Word8Vector.length (Socket.recvVec (peer, 65536)) of 0 => n | k => got (n + k)
val () = try "received" (fn () => Bool.toString (got 0 = bytes))
