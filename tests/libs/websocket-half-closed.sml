(* A client that ends its side of the connection, without a close frame, is gone; one may still send to it, and so it was sent
   to: by a handler that had got the end from `receive`, and by one that only sends, for ever. `send` raises Closed: in the
   first case from then on, in the second when the server has looked after its clients.
   What comes before the end is received all the same, and answered: a message, and a close frame, by one that looks late. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val pause = SyncVar.iVar () : unit SyncVar.ivar
val told = Mailbox.mailbox () : string Mailbox.mbox
fun send socket = (WebSocket.send (socket, WebSocket.TEXT "tick"); "sent") handle WebSocket.Closed => "Closed"
fun receive socket =
  case WebSocket.receive socket of SOME _ => "a message, " ^ receive socket | NONE => "the end"
fun reader socket = Mailbox.send (told, concat [receive socket, ", ", send socket])
fun ticker (socket, 0) = Mailbox.send (told, "went on")
  | ticker (socket, n) =
      (OS.Process.sleep (Time.fromMilliseconds 20);
       case send socket of "sent" => ticker (socket, n - 1) | said => Mailbox.send (told, said))
fun late socket =
  (OS.Process.sleep (Time.fromMilliseconds 700); Mailbox.send (told, receive socket))
fun route (path, f) = HTTPRouter.mount path (WebSocket.handler [] f)
val site =
  HTTPRouter.router
    [route ("/reader", reader), route ("/ticker", fn socket => ticker (socket, 500)), route ("/late", late)]
val done =
  CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site)

(* a frame with a mask of zeros *)
fun frame (kind, payload) =
  concat [String.str (Char.chr (128 + kind)), String.str (Char.chr (128 + size payload)), "\000\000\000\000", payload]
fun visit (path, frames) =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
    fun send text = ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))
    val () =
      send
        (concat ["GET ", path, " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"])
    fun head got =
      if String.isSuffix "\r\n\r\n" got then ()
      else head (got ^ Byte.bytesToString (Socket.recvVec (sock, 1)))
    val () = head ""
    val () = app send frames
    val () = Socket.shutdown (sock, Socket.NO_SENDS)
    fun all got =
      case Byte.bytesToString (Socket.recvVec (sock, 1000)) of "" => got | some => all (got ^ some)
    (* without the messages of the ticker *)
    val said = List.last (Substring.fields (fn c => c = #"k") (Substring.full (all "")))
  in
    print (concat [path, ": ", Mailbox.recv told, "; ", String.toString (Substring.string said), "\n"]);
    Socket.close sock
  end
val hello = frame (1, "hello")
val bye = frame (8, "\003\232")
val () =
  app visit
    [("/reader", []), ("/reader", [hello]), ("/reader", [hello, bye]), ("/ticker", []), ("/late", [hello, bye])]
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
