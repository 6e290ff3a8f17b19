(* To a client of HTTP/1.0 the body of an answer ends with the connection. Where its stream raised an exception in the midst,
   or ended its thread, the connection was closed as at a usual end, and the client took half of the answer for all of it. It
   is reset now. One of HTTP/1.1 sees that the last chunk is missing. *)
fun body fails =
  let
    val n = ref 0
    fun next () =
      (n := !n + 1;
       if !n = 1 then "first half\n" else if !n = 2 then fails () else "")
  in
    HTTPBody.stream {length = NONE, next = next, close = fn () => ()}
  end
fun answer fails = {status = 200, headers = HTTPHeaders.empty, body = body fails} : HTTP.response
val site =
  HTTPRouter.router [HTTPRouter.on "GET" "/whole" (fn _ => answer (fn () => "second half\n")),
                     HTTPRouter.on "GET" "/raises" (fn _ => answer (fn () => raise Fail "the disk is gone")),
                     HTTPRouter.on "GET" "/exits" (fn _ => answer CML.exit)]
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar ()
val told = ref 0
val done =
  CML.spawn (fn () =>
    HTTPServer.serve
      [HTTPServer.StopWhen (SyncVar.iGetEvt stop), HTTPServer.OnError (fn _ => told := !told + 1)]
      listener
      site)
fun ask (path, version) =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val address = valOf (NetHostDB.fromString "127.0.0.1")
    val () = Socket.connect (sock, INetSock.toAddr (address, HTTPServer.port listener))
    val request = concat ["GET ", path, " HTTP/", version, "\r\nHost: x\r\nConnection: close\r\n\r\n"]
    val _ = Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes request))
    fun read got =
      case Byte.bytesToString (Socket.recvVec (sock, 4096)) of
        "" => if String.isSuffix "0\r\n\r\n" got then "the last chunk, and the end" else "the end"
      | some => read (got ^ some)
  in
    print (concat [path, " by ", version, ": ", read "" handle OS.SysErr _ => "reset", "\n"]);
    Socket.close sock
  end
val () =
  app ask
    [("/whole", "1.0"), ("/raises", "1.0"), ("/exits", "1.0"), ("/whole", "1.1"), ("/raises", "1.1"),
     ("/exits", "1.1")]
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
val () = print ("OnError was told " ^ Int.toString (!told) ^ " times\n")
