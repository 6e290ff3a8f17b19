(* SendTime bounded the whole of a text, so a client that read all the time was cut off when the answer was large: 30 MB
   by a line of 5 Mbit/s. It bounds how long the client may take nothing. *)

(* So much for an answer; the sockets' own memory is a small part of that. *)
val large = 4000000
val limit = Time.fromSeconds 3

(* A server at a socket of Unix, whose memory is small and stays so, with these settings. *)
fun within settings f =
  let
    val path = OS.FileSys.tmpName ()
    val () = OS.FileSys.remove path
    val listener = UnixSock.Strm.socket () : Socket.passive UnixSock.stream_sock
    val () = (Socket.bind (listener, UnixSock.toAddr path); Socket.listen (listener, 5))
    val stop = SyncVar.iVar () : unit SyncVar.ivar
    fun serve () =
      HTTPServer.serveOn
        {name = fn _ => "a client", prepare = ignore}
        ([HTTPServer.StopWhen (SyncVar.iGetEvt stop),
          HTTPServer.SendTime limit,
          HTTPServer.LingerTime limit]
         @ settings)
        listener
        (fn _ => HTTP.text 200 (CharVector.tabulate (large, fn _ => #"x")))
    val server = CML.spawn serve
    val sock = UnixSock.Strm.socket () : Socket.active UnixSock.stream_sock
  in
    Socket.connect (sock, UnixSock.toAddr path);
    f sock
    before (SyncVar.iPut (stop, ());
            CML.sync (CML.joinEvt server);
            OS.FileSys.remove path)
  end

val request = Byte.stringToBytes "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

(* How much comes, by a function that gives some of it, or nothing: at the end, or when the connection is cut off. It
   takes three times as long as `limit`, and no pause is longer than a thirtieth of that. *)
fun slowly receive =
  let
    fun go n =
      case Word8Vector.length (receive ()) of
        0 => n
      | k => (OS.Process.sleep (Time.fromMilliseconds 75); go (n + k))
  in
    if go 0 > large then "all of it comes\n" else "it is cut off\n"
  end

(* A client that reads nothing is not waited for. *)
fun notAtAll receive =
  (OS.Process.sleep (Time.+ (limit, limit));
   let
     fun go n = case Word8Vector.length (receive ()) of 0 => n | k => go (n + k)
   in
     if go 0 > large then "all of it comes\n" else "it is cut off\n"
   end)

val some = 32768
fun plain how =
  within [] (fn sock =>
    (ignore (Socket.sendVec (sock, Word8VectorSlice.full request));
     how (fn () => Socket.recvVec (sock, some))
     before Socket.close sock))
fun secure how =
  within [HTTPS.server [Tls.CertificatePEM {chain = cert, key = key}]] (fn sock =>
    let
      val stream = Tls.connect (Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert], "localhost") sock
    in
      Tls.sendVec (stream, Word8VectorSlice.full request);
      how (fn () => Tls.recvVec (stream, some) handle Tls.Failed _ => Word8Vector.fromList [])
      before Tls.close stream
    end)
(* all at once, since they mostly wait *)
fun later (try, how) =
  let
    val result = SyncVar.iVar ()
  in
    ignore (CML.spawn (fn () => SyncVar.iPut (result, try how)));
    result
  end
val results =
  List.map later [(plain, slowly), (plain, notAtAll), (secure, slowly), (secure, notAtAll)]
val () = List.app (print o SyncVar.iGet) results
