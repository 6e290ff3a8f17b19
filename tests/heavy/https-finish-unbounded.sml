(* A client of HTTPS that stops reading keeps no connection of the server, whatever the size of the answer. *)
val path = OS.FileSys.tmpName ()
val () = OS.FileSys.remove path
val listener = UnixSock.Strm.socket () : Socket.passive UnixSock.stream_sock
val () = (Socket.bind (listener, UnixSock.toAddr path); Socket.listen (listener, 100))
(* Once a thread has waited for it, the socket has its spare descriptor. *)
val () =
  CML.select [CML.wrap (Socket.acceptEvt listener, ignore), CML.timeOutEvt (Time.fromMilliseconds 1)]
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun handler ({path, ...} : HTTP.request) =
  HTTP.text 200 (CharVector.tabulate (valOf (Int.fromString (hd path)), fn _ => #"x"))
val done =
  CML.spawn (fn () =>
    HTTPServer.serveOn
      {name = fn _ => "a client", prepare = ignore}
      [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
       HTTPServer.SendTime (Time.fromSeconds 1),
       HTTPServer.LingerTime (Time.fromSeconds 1),
       HTTPServer.GraceTime (Time.fromSeconds 1),
       HTTPServer.OnError ignore,
       HTTPS.server [Tls.CertificatePEM {chain = cert, key = key}]]
      listener
      handler)
fun descriptors () =
  let
    val folder = OS.FileSys.openDir "/proc/self/fd"
    fun go n = case OS.FileSys.readDir folder of SOME _ => go (n + 1) | NONE => n
  in
    go 0 before OS.FileSys.closeDir folder
  end
val first = descriptors ()
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
(* Asks for so many bytes, and reads nothing of the answer. *)
fun ask n =
  let
    val sock = UnixSock.Strm.socket ()
    val () = Socket.connect (sock, UnixSock.toAddr path)
    val stream = Tls.connect (client, "localhost") sock
    val text = concat ["GET /", Int.toString n, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"]
  in
    Tls.sendVec (stream, Word8VectorSlice.full (Byte.stringToBytes text));
    stream
  end
val streams = List.tabulate (24, fn i => ask (20000 + 10000 * i))
(* for a minute at most *)
fun left 0 = descriptors () - first - List.length streams
  | left n =
      if left 0 = 0 then 0 else (OS.Process.sleep (Time.fromMilliseconds 100); left (n - 1))
val () = print (concat ["the server has ", Int.toString (left 600), " connections\n"])
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
val () = OS.FileSys.remove path
