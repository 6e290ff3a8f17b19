(* WebSocket.receive that is cancelled within a frame has taken nothing: the payload was taken for frames, and so for
   messages that nobody had sent. *)
fun say s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val (cancelled, ended) = (SyncVar.iVar () : unit SyncVar.ivar, SyncVar.iVar () : unit SyncVar.ivar)
fun shown s = if size s > 40 then Int.toString (size s) ^ " bytes" else String.toString s
fun talk socket =
  let
    (* the first one is given up within the frame *)
    fun go 0 = say "given up"
      | go n =
          case Scope.within (Time.fromReal (if n = 10 then 0.4 else 20.0)) (fn _ => WebSocket.receive socket) of
            NONE => (say "nothing yet"; if n = 10 then SyncVar.iPut (cancelled, ()) else (); go (n - 1))
          | SOME NONE => say "the end"
          | SOME (SOME (WebSocket.TEXT s)) => (say ("text: " ^ shown s); go n)
          | SOME (SOME (WebSocket.BINARY s)) => (say ("bytes: " ^ shown s); go n)
  in
    go 10;
    SyncVar.iPut (ended, ())
  end
val done = CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler [] talk))
val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
fun send s = ignore (Socket.sendVec (sock, bytes s))
val () = send "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
val () = ignore (Socket.recvVec (sock, 4096))
(* one message, whose text is itself a frame; the mask is 0 *)
val inner = "\129\133\000\000\000\000hello"
val () = send ("\130" ^ String.str (Char.chr (128 + size inner)) ^ "\000\000\000\000")
val () = SyncVar.iGet cancelled
val () = send inner
val () = send "\136\130\000\000\000\000\003\232"
val () = SyncVar.iGet ended
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
