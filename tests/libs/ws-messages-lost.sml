(* Messages that `receive` lost: those behind a ping that came after a close of ours, since the pong could not be sent; and those
   whose last byte had come when the time of `Scope.within` was over, while they were unmasked. *)
fun ms n = Time.fromMilliseconds n
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar

fun closing socket =
  let
    fun go () =
      case WebSocket.receive socket of
        SOME (WebSocket.TEXT t) => (print (t ^ "\n"); go ())
      | SOME (WebSocket.BINARY _) => go ()
      | NONE => print "closed\n"
  in
    WebSocket.close (socket, 1000, "enough");
    go ()
  end

val (senders, each) = (4, 20)
(* the sender's number, and that of the message *)
fun counting socket =
  let
    val got = Array.array (senders, 0)
    val isRight = ref true
    val tick = ref 0
    fun take text =
      let
        val sender = Char.ord (String.sub (text, 0))
        val n = Char.ord (String.sub (text, 1))
      in
        if Array.sub (got, sender) = n then () else isRight := false;
        Array.update (got, sender, n + 1)
      end
    (* as long as that of the last one may still come *)
    fun go 0 = ()
      | go left =
          (tick := (!tick * 7 + 1) mod 29;
           case Scope.within (Time.fromMicroseconds (Int.toLarge (100 * !tick))) (fn _ =>
                  WebSocket.receive socket) of
             SOME (SOME (WebSocket.BINARY text)) => (take text; go (left - 1))
           | SOME (SOME (WebSocket.TEXT _)) => go left
           | SOME NONE => isRight := false
           | NONE => go left)
  in
    go (senders * each);
    print (if !isRight then "all\n" else "some are lost\n")
  end

val site =
  HTTPRouter.router [HTTPRouter.mount "/closing" (WebSocket.handler [] closing),
                     HTTPRouter.mount "/counting" (WebSocket.handler [] counting)]

fun frame (kind, text) =
  concat [str (Char.chr (128 + kind)), str (Char.chr (128 + size text)), "\000\000\000\000", text]

fun visitClosing () =
  let
    val sock = INetSock.TCP.socket ()
    val () =
      Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
    fun send text = ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))
    fun rest () = if Word8Vector.length (Socket.recvVec (sock, 1000)) = 0 then () else rest ()
  in
    send
      "GET /closing HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      \Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    OS.Process.sleep (ms 200);
    send (concat [frame (1, "one"), frame (9, "ping"), frame (1, "two"), frame (8, "\003\232")]);
    rest ();
    Socket.close sock
  end
fun visitCounting () =
  WebSocket.connect
    (HTTPClient.client [])
    []
    {url = concat ["ws://127.0.0.1:", Int.toString port, "/counting"], headers = HTTPHeaders.empty}
    (fn socket =>
      (Scope.run (fn scope =>
         List.app
           (fn sender =>
             ignore (Scope.fork scope (fn () =>
                       List.app
                         (fn n =>
                           WebSocket.send (socket,
                                           WebSocket.BINARY (CharVector.tabulate (200000,
                                                                                fn 0 =>
                                                                                Char.chr sender
                                                                                | 1 => Char.chr n
                                                                                | _ => #"x"))))
                         (List.tabulate (each, fn n => n)))))
           (List.tabulate (senders, fn i => i)));
       ignore (WebSocket.receive socket)))
fun visit () = (visitClosing (); visitCounting (); SyncVar.iPut (stop, ()))
val _ = CML.spawn visit
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site
