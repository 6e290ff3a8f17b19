(* A server whose scope is cancelled while nothing in it waits: a client that had the next request ready each time, and a
   body whose client took each piece, went on for as long as the client liked, and `serve` returned when that was over. *)
fun say parts = print (concat parts ^ "\n")
val int = Int.toString
val here = valOf (NetHostDB.fromString "127.0.0.1")
exception Enough

(* The server of a handler that is given what cancels it. What the client sends is there before the server begins. *)
fun served (text, handler) =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    fun send slice =
      if Word8VectorSlice.isEmpty slice then ()
      else send (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
  in
    Socket.connect (sock, INetSock.toAddr (here, HTTPServer.port listener));
    send (Word8VectorSlice.full (Byte.stringToBytes text));
    (Scope.run (fn scope =>
       HTTPServer.serve [] listener (handler (fn () => Scope.cancel (scope, Enough))))
     handle Enough => ());
    Socket.close sock
  end

val request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
val requests = ref 0
fun fifth cancel (_ : HTTP.request) =
  (requests := !requests + 1;
   if !requests = 5 then cancel () else ();
   HTTP.text 200 "x")
val () = served (concat (List.tabulate (1000, fn _ => request)), fifth)
val () = say ["requests of 1000 until the fifth has cancelled the server: ", int (!requests)]

val pieces = ref 0
fun streamed cancel (_ : HTTP.request) =
  let
    fun next () =
      (pieces := !pieces + 1;
       if !pieces = 5 then cancel () else ();
       if !pieces = 1000 then "" else "a piece ")
  in
    {status = 200,
     headers = HTTPHeaders.empty,
     body = HTTPBody.stream {length = NONE, next = next, close = fn () => ()}}
  end
val () = served (request, streamed)
val () = say ["pieces of 1000 until the fifth has cancelled the server: ", int (!pieces)]

(* A request's body, whose first pieces have come with the header. *)
val size = ref 0
fun reads cancel ({body, ...} : HTTP.request) =
  let
    fun go () =
      case HTTPBody.read body of
        "" => ()
      | piece => (size := !size + String.size piece; go ())
  in
    cancel ();
    go ();
    HTTP.text 200 "read"
  end
val length = 100000
val body =
  concat ["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ", int length, "\r\n\r\n", CharVector.tabulate (length, fn _ => #"x")]
val () = served (body, reads)
val () = say ["all of a body is read in a cancelled server: ", Bool.toString (!size = length)]
