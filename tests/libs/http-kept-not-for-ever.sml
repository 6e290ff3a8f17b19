(* A client's connections that are kept were closed when their time was over and another request was made, so those of a
   client that makes no other one stayed, and their descriptors with them. *)
val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 5)
val port = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
val ended = Mailbox.mailbox () : unit Mailbox.mbox
fun serve () =
  let
    val (sock, _) = Socket.accept listener
    fun go () =
      case Byte.bytesToString (Socket.recvVec (sock, 4096)) of
        "" => (Socket.close sock; Mailbox.send (ended, ()))
      | _ => (Socket.sendVec (sock, bytes "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"); go ())
  in
    ignore (CML.spawn go);
    serve ()
  end
val _ = CML.spawn serve
fun url () = concat ["http://127.0.0.1:", Int.toString port, "/"]
fun get client = print (HTTPBody.all {most = 100} (#body (HTTPClient.get client (url ()))) ^ "\n")
fun isClosed () =
  print (case Scope.within (Time.fromSeconds 20) (fn _ => Mailbox.recv ended) of
           SOME () => "closed\n"
         | NONE => "still open\n")
val client = HTTPClient.client [HTTPClient.KeepTime (Time.fromMilliseconds 50)]
(* again, when nothing was kept any more *)
val () = (get client; isClosed (); get client; isClosed ())
(* The program's end does not wait for it. *)
val () = get (HTTPClient.client [])
