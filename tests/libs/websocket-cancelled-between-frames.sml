(* WebSocket.receive in a scope that is cancelled, while pings come, each of which is there when the last one is answered:
   it answered them all, for as long as the client liked. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar () : unit SyncVar.ivar
val sent = SyncVar.iVar () : unit SyncVar.ivar
val told = Mailbox.mailbox () : string Mailbox.mbox
exception Enough
fun talk socket =
  (SyncVar.iGet sent;
   Mailbox.send (told,
                 Scope.run (fn scope =>
                   (Scope.cancel (scope, Enough); WebSocket.receive socket; "received"))
                 handle Enough => "cancelled");
   WebSocket.send (socket, WebSocket.TEXT "mark");
   (* and nothing is lost *)
   Mailbox.send (told,
                 case WebSocket.receive socket of
                   SOME (WebSocket.TEXT text) => text
                 | _ => "no text"))
val done =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler [] talk))
val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
val () =
  Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), HTTPServer.port listener))
fun send slice =
  if Word8VectorSlice.isEmpty slice then ()
  else send (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
fun say text = send (Word8VectorSlice.full (Byte.stringToBytes text))
fun receive () = Byte.bytesToString (Socket.recvVec (sock, 65536))
val () =
  say "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
val () = ignore (receive ())
(* the mask is 0 *)
val () = say (concat (List.tabulate (5000, fn _ => "\137\128\000\000\000\000")))
val () = say "\129\133\000\000\000\000hello"
val () = SyncVar.iPut (sent, ())
(* pongs before the mark *)
fun pongs seen =
  let
    val (before', mark) = Substring.position "\129\004mark" (Substring.full seen)
  in
    if Substring.isEmpty mark then pongs (seen ^ receive ()) else Substring.size before' div 2
  end
val () = print (Int.toString (pongs "") ^ " pongs\n")
fun rest () = if receive () = "" then () else rest ()
val () = (say "\136\130\000\000\000\000\003\232"; rest ())
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
val () = print (Mailbox.recv told ^ "\n")
val () = print (Mailbox.recv told ^ "\n")
