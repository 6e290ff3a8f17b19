(* A client's connections that are kept were closed when their time was over and another request was made; then by a
   thread that slept until the time was over, which kept each program of Concurrent ML alive for so long behind its last
   request: it ends when no thread can run. They are closed when the client makes a request, to whatever host, and when
   it has read a response to its end. *)
fun listen () =
  let
    val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
    val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
    val () = Socket.listen (listener, 5)
  in
    (listener,
     concat ["http://127.0.0.1:", Int.toString (#2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))), "/"])
  end
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun answer sock = Socket.sendVec (sock, bytes "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
fun read response = print (HTTPBody.all {most = 100} (#body response) ^ "\n")
fun client time = HTTPClient.client [HTTPClient.KeepTime time]

(* Nothing waits for an hour. *)
val (listener, url) = listen ()
val open' = ref []
fun serveOne () =
  let
    val (sock, _) = Socket.accept listener
  in
    ignore (Socket.recvVec (sock, 4096));
    ignore (answer sock);
    open' := [sock]
  end
val _ =
  RunCML.doit (fn () =>
                 (ignore (CML.spawn serveOne);
                  read (HTTPClient.get (client (Time.fromSeconds 3600)) url)),
               NONE)
val () = print "over\n"
val () = (List.app Socket.close (!open'); Socket.close listener)

(* Each server says when its client has closed a connection. *)
fun start () =
  let
    val (listener, url) = listen ()
    val ended = Mailbox.mailbox () : unit Mailbox.mbox
    fun serve () =
      let
        val (sock, _) = Socket.accept listener
        fun go () =
          case Byte.bytesToString (Socket.recvVec (sock, 4096)) of
            "" => (Socket.close sock; Mailbox.send (ended, ()))
          | _ => (ignore (answer sock); go ())
      in
        ignore (CML.spawn go);
        serve ()
      end
    fun isClosed () =
      print (case Scope.within (Time.fromSeconds 20) (fn _ => Mailbox.recv ended) of
               SOME () => "closed\n"
             | NONE => "still open\n")
  in
    ignore (CML.spawn serve);
    (url, isClosed)
  end
val (one, isOneClosed) = start ()
val (two, isTwoClosed) = start ()
val time = Time.fromMilliseconds 100
fun becomeOld () = OS.Process.sleep (Time.+ (time, time))
val asks = client time
val () = (read (HTTPClient.get asks one); becomeOld ())
(* by the request *)
val response = HTTPClient.get asks two
val () = (isOneClosed (); read response)
(* by the end of the response *)
val response = HTTPClient.get asks one
val () = (becomeOld (); read response; isTwoClosed ())
(* The longest time there is is no error. *)
val asks = client (Time.fromNanoseconds (Int.toLarge (valOf Int.maxInt)))
val () = (read (HTTPClient.get asks one); read (HTTPClient.get asks one))
