(* A connection that is reset within a body: reading the body raised OS.SysErr, and so a program that handles
   HTTPBody.Broken, as the signature says, missed it. Of a client's answer that is the cause of HTTPClient.Failed, which
   says what was asked. *)

val here = valOf (NetHostDB.fromString "127.0.0.1")
fun send (sock, text) = ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))
fun reset sock = (Socket.Ctl.setLINGER (sock, SOME Time.zeroTime); Socket.close sock)

(* What a second piece of a body is. *)
fun second (url, body) =
  let
    fun shown (HTTPBody.Broken why) =
          if String.isPrefix "the connection was lost within a body: " why then "broken\n" else why ^ "\n"
      | shown e = exnName e ^ "\n"
  in
    (HTTPBody.read body ^ " and no error\n")
    handle HTTPClient.Failed {url = asked, doing, cause} =>
               concat [if asked = url then "" else asked ^ ": ", doing, ": ", shown cause]
         | e => shown e
  end

(* -- of an answer *)

val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
val () = Socket.bind (listener, INetSock.toAddr (here, 0))
val () = Socket.listen (listener, 5)
val url =
  concat ["http://127.0.0.1:", Int.toString (#2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))), "/"]

fun answered (name, header, part) =
  let
    val isRead = SyncVar.iVar () : unit SyncVar.ivar
    fun serve () =
      let
        val (sock, _) = Socket.accept listener
      in
        ignore (Socket.recvVec (sock, 1000));
        send (sock, concat ["HTTP/1.1 200 OK\r\n", header, "\r\n", part]);
        SyncVar.iGet isRead;
        reset sock
      end
    val _ = CML.spawn serve
    val client = HTTPClient.client []
    val {body, ...} = HTTPClient.get client url
    val first = HTTPBody.read body
  in
    SyncVar.iPut (isRead, ());
    print (concat [name, ": ", first, ", ", second (url, body)]);
    HTTPClient.close client
  end
val () = answered ("a length", "Content-Length: 10\r\n", "abc")
val () = answered ("chunks", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n")
val () = answered ("to the end", "", "abc")
val () = Socket.close listener

(* -- of a request: the handler reads it *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val place = INetSock.toAddr (here, HTTPServer.port listener)
val isRead = SyncVar.iVar () : unit SyncVar.ivar
val told = SyncVar.iVar () : string SyncVar.ivar
fun handler ({body, ...} : HTTP.request) =
  let
    val first = HTTPBody.read body
  in
    SyncVar.iPut (isRead, ());
    SyncVar.iPut (told, concat [first, ", ", second ("", body)]);
    HTTP.status 204
  end
fun client () =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
  in
    Socket.connect (sock, place);
    send (sock, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    SyncVar.iGet isRead;
    reset sock
  end
val _ = CML.spawn client
(* without FinishAnyway the handler may be cancelled instead *)
val () =
  HTTPServer.serve
    [HTTPServer.FinishAnyway, HTTPServer.StopWhen (CML.wrap (SyncVar.iGetEvt told, ignore))]
    listener
    handler
val () = print ("a request: " ^ SyncVar.iGet told)
