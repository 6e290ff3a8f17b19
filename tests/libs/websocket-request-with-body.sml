(* A request for a WebSocket that has a body: the other protocol begins behind the request, and the body was taken for
   frames, so for messages, though whatever stands before the server takes it for a body. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun talk socket =
  case WebSocket.receive socket of
    SOME (WebSocket.TEXT text) => WebSocket.send (socket, WebSocket.TEXT ("got " ^ text))
  | _ => ()
val done =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler [] talk))
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun frame text = concat ["\129", String.str (Char.chr (128 + size text)), "\000\000\000\000", text]
fun try (fields, text) =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val here = valOf (NetHostDB.fromString "127.0.0.1")
    val () = Socket.connect (sock, INetSock.toAddr (here, HTTPServer.port listener))
    val request =
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    val _ = Socket.sendVec (sock, bytes (concat [request, fields, "\r\n", text]))
    val () = Socket.shutdown (sock, Socket.NO_SENDS)
    fun rest seen = case Byte.bytesToString (Socket.recvVec (sock, 4096)) of "" => seen | more => rest (seen ^ more)
    val answer = rest ""
    val messages =
      List.filter (fn text => String.isSubstring ("got " ^ text) answer) ["body", "frame"]
  in
    print (String.concatWith ", " (String.substring (answer, 9, 3) :: messages) ^ "\n");
    Socket.close sock
  end
val () = try ("", frame "frame")
val () = try ("Content-Length: 0\r\n", frame "frame")
val () = try (concat ["Content-Length: ", Int.toString (size (frame "body")), "\r\n"], frame "body" ^ frame "frame")
val () = try ("Transfer-Encoding: chunked\r\n", "a\r\n" ^ frame "body" ^ "\r\n0\r\n\r\n" ^ frame "frame")
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
