(* A long reason of WebSocket.close is cut between characters. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val reason = CharVector.tabulate (119, fn _ => #"x") ^ "\195\169"
fun talk socket = WebSocket.close (socket, 3000, reason)
val done =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler [] talk))
val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
val () =
  ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    \Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")))
val () = Socket.shutdown (sock, Socket.NO_SENDS)
fun all () = case Byte.bytesToString (Socket.recvVec (sock, 4096)) of "" => "" | s => s ^ all ()
val text = all ()
val () = print (if String.isSuffix "x\195" text then "cut\n" else "utf-8\n")
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
