(* A client that had gone was never noticed by a handler that has something else to do now and then: the time for silence began
   anew with each wait for a message, and a choice in which another event happens cancels that wait. The client was not asked,
   and not given up, however long it was silent.
   Here a client says nothing behind the handshake, and each choice is over in a twentieth of that time: less than the last
   look at a client that was asked takes, which had begun anew each time, too. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val ms = Time.fromMilliseconds
val (byEvent, byScope) = (SyncVar.iVar (), SyncVar.iVar ())
fun choose socket =
  CML.select
    [CML.wrap (WebSocket.receiveEvt socket, SOME), CML.wrap (CML.timeOutEvt (ms 5), fn () => NONE)]
fun within socket = Scope.within (ms 5) (fn _ => WebSocket.receive socket)
(* what came of so many waits at most *)
fun go (_, _, 0) = "not given up"
  | go (wait, socket, n) = case wait socket of SOME NONE => "given up" | _ => go (wait, socket, n - 1)
fun talk (wait, over) = WebSocket.handler [WebSocket.SilentTime (ms 100)] (fn socket =>
                          SyncVar.iPut (over, go (wait, socket, 2000)))
val site =
  HTTPRouter.router [HTTPRouter.mount "/event" (talk (choose, byEvent)),
                     HTTPRouter.mount "/scope" (talk (within, byScope))]
val done =
  CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site)

fun visit (path, over) =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
    val _ =
      Socket.sendVec
        (sock,
         Word8VectorSlice.full
           (Byte.stringToBytes
              (concat ["GET ", path, " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"])))
    fun all got =
      case Byte.bytesToString (Socket.recvVec (sock, 1000)) of "" => got | some => all (got ^ some)
    val frames = #2 (Substring.position "\r\n\r\n" (Substring.full (all "")))
  in
    print (concat [path, ": ", SyncVar.iGet over, "; ",
                   String.toString (Substring.string (Substring.triml 4 frames)), "\n"]);
    Socket.close sock
  end
val () = app visit [("/event", byEvent), ("/scope", byScope)]
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
