(* A time for ever, the longest that there is, broke HTTP: with such a ConnectTime or AnswerTime each request of a client
   raised Time, and with such an IdleTime the server closed each connection at once. Whatever else waits takes such a time. *)
val ever = Time.fromNanoseconds (Int.toLarge (valOf Int.maxInt))
fun with' (name, client, server) =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val stop = SyncVar.iVar ()
    fun handler ({body, ...} : HTTP.request) = HTTP.text 200 (HTTPBody.all {most = 10} body)
    val done =
      CML.spawn (fn () =>
        HTTPServer.serve (HTTPServer.StopWhen (SyncVar.iGetEvt stop) :: server) listener handler)
    val client = HTTPClient.client client
    val url = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener) ^ "/"
    fun once () =
      HTTPBody.all {most = 10}
        (#body (HTTPClient.post client {url = url, kind = "text/plain"} "hello"))
      handle e => exnMessage e
  in
    print (concat [name, ": ", once (), ", ", once (), "\n"]);
    HTTPClient.close client;
    SyncVar.iPut (stop, ());
    CML.sync (CML.joinEvt done)
  end
fun ofClient (name, setting) = with' (name, [setting ever], [])
fun ofServer (name, setting) = with' (name, [], [setting ever])
val () =
  (app ofClient
     [("ConnectTime", HTTPClient.ConnectTime), ("AnswerTime", HTTPClient.AnswerTime),
      ("PieceTime", HTTPClient.PieceTime), ("SendTime", HTTPClient.SendTime),
      ("KeepTime", HTTPClient.KeepTime)];
   app ofServer
     [("IdleTime", HTTPServer.IdleTime), ("HeaderTime", HTTPServer.HeaderTime),
      ("BodyTime", HTTPServer.BodyTime), ("SendTime", HTTPServer.SendTime),
      ("HandlerTime", HTTPServer.HandlerTime), ("LingerTime", HTTPServer.LingerTime),
      ("GraceTime", HTTPServer.GraceTime)])

(* WebSocket, and a retry that is to end some time *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar ()
val silent = [WebSocket.SilentTime ever]
fun echo socket = Option.app (fn m => (WebSocket.send (socket, m); echo socket)) (WebSocket.receive socket)
val done =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler silent echo))
fun talk socket =
  (WebSocket.send (socket, WebSocket.TEXT "hello");
   case WebSocket.receive socket of SOME (WebSocket.TEXT s) => s | _ => "nothing")
val url = concat ["ws://127.0.0.1:", Int.toString (HTTPServer.port listener), "/"]
val () =
  print ("SilentTime: "
         ^ (WebSocket.connect (HTTPClient.client []) silent
              {url = url, headers = HTTPHeaders.empty} talk
            handle e => exnMessage e)
         ^ "\n")
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
val () =
  Retry.run [Retry.First ever, Retry.Longest ever, Retry.Jitter 0.0,
             Retry.Within (Time.fromSeconds 10)]
    (fn () => raise Fail "tried once")
  handle e => print ("Retry: " ^ exnMessage e ^ "\n")
