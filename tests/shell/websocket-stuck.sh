# A client of a WebSocket that does not read: a thread of the server is within `send` (30 s until it is given up). `drop` ends
# the connection at once, and `close` after five seconds. (There was no `drop`, and `close` waited for the 30 s, so a chat
# went on to show whom it had dropped as too slow.) A handler that returns while another thread is within `send` ends the
# connection after five seconds, too: it waited as long as the client was not given up.
cat > p.mlb <<'MLB'
$(SML_LIB)/basis/basis.mlb
$(SML_LIB)/cml/cml.mlb
$(SML_LIB)/cml/cml-lib.mlb
$(SML_LIB)/leat/scope.mlb
$(SML_LIB)/leat/http.mlb
p.sml
MLB
cat > p.sml <<'SML'
fun say s = print (s ^ "\n")
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val ended = SyncVar.iVar () : unit SyncVar.ivar
(* until then the client takes what it is sent no more *)
fun fill (socket, stuck) =
  let
    val text = CharVector.tabulate (1000000, fn _ => #"x")
    fun go n = (SyncVar.mPut (stuck, n); WebSocket.send (socket, WebSocket.BINARY text); ignore (SyncVar.mTake stuck); go (n + 1))
  in
    go 0 handle WebSocket.Closed => say "send: Closed"
  end
fun untilStuck stuck =
  let
    fun go n = (CML.sync (CML.timeOutEvt (Time.fromMilliseconds 200)); let val m = SyncVar.mGet stuck in if m = n then () else go m end)
  in
    go ~1
  end
fun talk (name, finish) socket =
  let
    val stuck = SyncVar.mVar ()
    val full = CML.spawn (fn () => fill (socket, stuck))
    val () = untilStuck stuck
    val reader = CML.spawn (fn () => say (case WebSocket.receive socket of NONE => "receive: the end" | SOME _ => "receive: a message"))
    val start = Time.now ()
    fun tell took =
      say (name ^ (if took < 0.5 then ": at once" else if took > 4.9 andalso took < 15.0 then ": after five seconds" else ": after " ^ Real.toString took))
    fun taken () = Time.toReal (Time.- (Time.now (), start))
    fun threads () = (CML.sync (CML.joinEvt full); CML.sync (CML.joinEvt reader))
    fun over took = (threads (); tell took; SyncVar.iPut (ended, ()))
  in
    case finish of
      SOME f => (f socket; over (taken ()))
    | NONE => ignore (CML.spawn (fn () => (threads (); over (taken ()))))
  end
fun site (request as {path, ...} : HTTP.request) =
  WebSocket.handler []
    (talk (case path of
             ["drop"] => ("drop", SOME WebSocket.drop)
           | ["close"] => ("close", SOME (fn socket => WebSocket.close (socket, 1008, "too slow")))
           | _ => ("return", NONE)))
    request
val done = CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site)
fun client path =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
  in
    Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port));
    ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes
      ("GET " ^ path ^ " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"))));
    sock
  end
val sock = client (hd (CommandLine.arguments ()))
val () = SyncVar.iGet ended
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
SML
for way in /drop /close /return; do timeout 60 "$LEAT" run p.mlb $way 2>&1; done
