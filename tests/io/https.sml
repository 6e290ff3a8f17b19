(* HTTP over TLS: server and client, connections that are used again, what is refused, and who is silent. *)

open CML
fun say parts = print (concat parts ^ "\n")

val trust = Tls.TrustPEM Keys.caPEM
val certificate = Tls.CertificatePEM {chain = Keys.serverPEM, key = Keys.serverKey}

(* What the server was told of connections that came to nothing. *)
val errors = Mailbox.mailbox () : string Mailbox.mbox

(* that a handler has begun, and that it was cancelled *)
val began = SyncVar.iVar () : unit SyncVar.ivar
val gone = SyncVar.iVar () : unit SyncVar.ivar

fun handler (request as {path, secure, body, peer, ...} : HTTP.request) =
  case path of
    ["echo"] =>
      WebSocket.handler
        []
        (fn socket => Option.app (fn m => WebSocket.send (socket, m)) (WebSocket.receive socket))
        request
  | ["waits"] =>
      ((SyncVar.iPut (began, ()); sync (timeOutEvt (Time.fromSeconds 60)); HTTP.status 204)
       handle e as Scope.Cancelled => (SyncVar.iPut (gone, ()); raise e))
  | ["size"] => HTTP.text 200 (Int.toString (size (HTTPBody.all {most = 1000000} body)))
  | ["stream"] =>
      let
        val left = ref 5
        fun next () = if !left = 0 then "" else (left := !left - 1; "piece ")
      in
        {status = 200,
         headers = HTTPHeaders.empty,
         body = HTTPBody.stream {length = NONE, next = next, close = fn () => ()}}
      end
  | ["away"] => HTTP.seeOther "/who"
  | _ =>
      HTTP.text
        200
        (case secure of
           NONE => "nobody knows"
         | SOME {version, name, protocol, certificates, ...} =>
             concat [version,
                     " ",
                     Option.getOpt (name, "-"),
                     " ",
                     Option.getOpt (protocol, "-"),
                     " ",
                     Int.toString (length certificates)])

fun with' settings f =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val port = HTTPServer.port listener
    val stop = SyncVar.iVar ()
    fun told (e, _) = Mailbox.send (errors, exnMessage e)
    fun serve () =
      HTTPServer.serve
        ([HTTPServer.StopWhen (SyncVar.iGetEvt stop),
          HTTPServer.HeaderTime (Time.fromSeconds 60),
          HTTPServer.OnError told]
         @ settings)
        listener
        handler
  in
    Scope.run (fn scope =>
      (ignore (Scope.fork scope serve); f port; SyncVar.iPut (stop, ())))
  end

fun get client url =
  let
    val {status, body, ...} = HTTPClient.get client url
  in
    say [Int.toString status, " ", HTTPBody.all {most = 1000000} body]
  end
  handle HTTPClient.Failed {cause, ...} => say ["failed: ", exnMessage cause]

fun at (scheme, host, port, path) = concat [scheme, "://", host, ":", Int.toString port, path]

val () =
  with' [HTTPS.server [certificate]] (fn port =>
    let
      val client = HTTPClient.client [HTTPS.client [Tls.NotTheSystem, trust]]
      fun url path = at ("https", "localhost", port, path)
    in
      get client (url "/who");
      get client (url "/stream");
      get client (url "/away");
      get client (at ("https", "127.0.0.1", port, "/who"));
      (let
         val {body, ...} =
           HTTPClient.post
             client
             {url = url "/size", kind = "text/plain"}
             (CharVector.tabulate (200000, fn i => Char.chr (i mod 128)))
       in
         say ["size ", HTTPBody.all {most = 100} body]
       end);
      WebSocket.connect
        client
        []
        {url = at ("wss", "localhost", port, "/echo"), headers = HTTPHeaders.empty}
        (fn socket =>
          (WebSocket.send (socket, WebSocket.TEXT "by TLS");
           case WebSocket.receive socket of
             SOME (WebSocket.TEXT text) => say ["WebSocket ", text]
           | _ => say ["no message"]));
      (* several at once *)
      Scope.run (fn scope =>
        let
          val all =
            List.tabulate (10,
                           fn _ =>
                             Scope.fork scope (fn () =>
                               HTTPBody.all
                                 {most = 1000}
                                 (#body (HTTPClient.get client (url "/stream")))))
        in
          say ["at once: ", Int.toString (List.foldl (fn (e, n) => size (sync e) + n) 0 all)]
        end);
      HTTPClient.close client;
      (* who does not trust the server; the server is told *)
      get
        (HTTPClient.client [HTTPS.client [Tls.NotTheSystem, Tls.TrustPEM Keys.selfPEM]])
        (url "/who");
      say ["told: ", Mailbox.recv errors];
      (* HTTP where TLS is spoken *)
      (HTTPBody.skip
         {most = 1000}
         (#body (HTTPClient.get (HTTPClient.client []) (at ("http", "localhost", port, "/"))))
       handle HTTPClient.Failed _ => say ["failed"]);
      say ["told: ", Mailbox.recv errors];
      (* a client that goes away, and says so *)
      Scope.run (fn scope =>
        (Scope.daemon scope (fn () => get client (url "/waits")); SyncVar.iGet began));
      SyncVar.iGet gone;
      (* and TLS goes on *)
      get client (url "/who");
      HTTPClient.close client
    end)

(* A client that says nothing is not waited for; who has no certificate is not let in. *)
val () =
  with'
    [HTTPS.server [certificate, trust, Tls.RequireClients],
     HTTPServer.HeaderTime (Time.fromMilliseconds 50)]
    (fn port =>
      let
        val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
        val () =
          Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
      in
        say ["silent: ", Int.toString (Word8Vector.length (Socket.recvVec (sock, 100)))];
        Socket.close sock
      end)
val () =
  with' [HTTPS.server [certificate, trust, Tls.RequireClients]] (fn port =>
    let
      val mine = Tls.CertificatePEM {chain = Keys.clientPEM, key = Keys.clientKey}
      val client = HTTPClient.client [HTTPS.client [Tls.NotTheSystem, trust, mine]]
      val other = HTTPClient.client [HTTPS.client [Tls.NotTheSystem, trust, Tls.Only12]]
      val url = at ("https", "localhost", port, "/who")
    in
      get client url;
      get other url;
      say ["told: ", Mailbox.recv errors];
      HTTPClient.close client
    end)

(* A body that ends with the connection: by the word of the server, or because somebody has cut it off. *)
fun until (label, finish) =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val listening = case listener of HTTPServer.Four sock => sock | HTTPServer.Six _ => raise Match
    val server = Tls.server [certificate]
    fun serve () =
      let
        val (sock, _) = Socket.accept listening
        val s = Tls.accept server sock
        fun send text = Tls.sendVec (s, Word8VectorSlice.full (Byte.stringToBytes text))
      in
        ignore (Tls.recvVec (s, 4096));
        send "HTTP/1.0 200 OK\r\n\r\nthe whole truth";
        finish (s, sock)
      end
    val client = HTTPClient.client [HTTPS.client [Tls.NotTheSystem, trust]]
    val _ = spawn serve
    val {body, ...} =
      HTTPClient.get client (at ("https", "localhost", HTTPServer.port listener, "/"))
  in
    say [label,
         ": ",
         HTTPBody.all {most = 1000} body handle HTTPClient.Failed {cause = HTTPBody.Broken why, ...} => "Broken: " ^ why];
    HTTPServer.close listener
  end
val () = until ("ended", fn (s, _) => Tls.close s)
val () = until ("cut off", fn (_, sock) => Socket.close sock)
