(* `100 Continue` comes before an answer or not at all, and never between its chunks. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun handler ({body, ...} : HTTP.request) : HTTP.response =
  let
    val isFirst = ref true
    fun next () = if !isFirst then (isFirst := false; "you said: ") else HTTPBody.read body
  in
    {status = 200, headers = HTTPHeaders.empty,
     body = HTTPBody.stream {length = NONE, next = next, close = fn () => ()}}
  end
val done = CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener handler)
val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
fun send s = ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes s)))
val () = send "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
val () = OS.Process.sleep (Time.fromReal 0.3)
val () = send "hello"
fun all () = case Byte.bytesToString (Socket.recvVec (sock, 4096)) of "" => "" | s => s ^ all ()
val () =
  List.app (fn line => if String.isPrefix "Date" line then () else print (line ^ "\n"))
    (String.tokens (Char.contains "\r\n") (all ()))
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
