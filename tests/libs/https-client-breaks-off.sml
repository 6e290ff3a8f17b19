(* A client of HTTPS that sends what is no record, or an alert: OnError was told of it, which over TCP alone is told of no
   client that goes away. Anybody could fill a log so. *)
val certificate = Tls.CertificatePEM {chain = cert, key = key}
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar () : unit SyncVar.ivar
val told = ref []
fun handler ({path, body, ...} : HTTP.request) =
  case path of
    ["fails"] => raise Fail "a fault of the server"
  | ["reads"] => HTTP.text 200 (HTTPBody.all {most = 100} body)
  | _ => HTTP.text 200 "answered"
val settings =
  [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
   HTTPS.server [certificate],
   HTTPServer.OnError (fn (e, _) => told := exnMessage e :: !told)]
val done = CML.spawn (fn () => HTTPServer.serve settings listener handler)
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)

(* Sends this, reads as many answers, and breaks off. Waits until the server has ended the connection. *)
fun try (name, text, answers) =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val here = valOf (NetHostDB.fromString "127.0.0.1")
    val () = Socket.connect (sock, INetSock.toAddr (here, HTTPServer.port listener))
    val s = Tls.connectOver (client, "localhost") (Tls.wire sock)
    val () = Tls.sendVec (s, bytes text)
    fun read (0, _) = ()
      | read (n, seen) =
          let
            val seen = seen ^ Byte.bytesToString (Tls.recvVec (s, 4096))
          in
            if String.isSuffix "answered" seen orelse String.isSuffix "Error\n" seen then read (n - 1, "") else read (n, seen)
          end
    val () = read (answers, "")
    (* beside the stream: a record of a kind that is none *)
    val _ = Socket.sendVec (sock, bytes "what is this, if it is no record?")
    fun rest () = if Word8Vector.length (Socket.recvVec (sock, 4096)) = 0 then () else rest ()
  in
    rest () handle OS.SysErr _ => ();
    Socket.close sock;
    print (name ^ "\n")
  end
val request = "GET / HTTP/1.1\r\nHost: localhost\r\n"
val () = try ("before a request", "", 0)
val () = try ("within a header", request, 0)
val () = try ("within a body", "POST /reads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nbody", 0)
val () = try ("behind an answer", request ^ "\r\n", 1)
val () = try ("behind the last answer", request ^ "Connection: close\r\n\r\n", 1)
val () = try ("behind a fault", "GET /fails HTTP/1.1\r\nHost: localhost\r\n\r\n", 1)
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
val () = List.app (fn text => print ("told: " ^ text ^ "\n")) (List.rev (!told))
