(* A message that came slowly was given up: the time for silence was counted for the whole frame, though each byte ends a
   silence. Within a frame nobody was asked, and who was given up was told that it was a usual end, 1000.
   Here each further byte is sent when the server has asked; in the end nothing is, and the server says 1008. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
(* what the server gets, the last one first *)
val got = ref []
fun talk socket =
  case WebSocket.receive socket of
    SOME (WebSocket.TEXT text) => (got := text :: !got; talk socket)
  | SOME (WebSocket.BINARY _) => talk socket
  | NONE => got := "no more" :: !got
val handler = WebSocket.handler [WebSocket.SilentTime (Time.fromSeconds 1)] talk
val done =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener handler)

val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
fun send text = ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))
exception End
fun byte () =
  case Byte.bytesToString (Socket.recvVec (sock, 1)) of
    "" => raise End
  | s => Char.ord (String.sub (s, 0))
fun bytes n = String.implode (List.tabulate (n, fn _ => Char.chr (byte ())))
fun skipHead "\r\n\r\n" = ()
  | skipHead last =
      skipHead ((if size last = 4 then String.extract (last, 1, NONE) else last) ^ bytes 1)
(* the next frame of the server: a short one *)
fun frame () =
  let
    val kind = byte ()
    val payload = bytes (byte ())
  in
    case kind of
      0x89 => "ping"
    | 0x88 =>
        if size payload < 2 then "close"
        else
          concat ["close ",
                  Int.toString
                    (256 * Char.ord (String.sub (payload, 0)) + Char.ord (String.sub (payload, 1))),
                  " ",
                  String.extract (payload, 2, NONE)]
    | _ => "another frame"
  end
  handle End => "end"
fun tell () = let val said = frame () in print (said ^ "\n"); said end
fun go [] = ()
  | go (piece :: rest) = (send piece; if tell () = "ping" then go rest else ())
val () =
  send
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    \Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
val () = skipHead ""
(* within the header, within the payload, and behind the message *)
val () = go ["\129\133\000\000", "\000\000he", "llo"]
val _ = tell ()
val _ = tell ()
val () = Socket.close sock
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
val () = print ("got " ^ String.concatWith ", " (List.rev (!got)) ^ "\n")
