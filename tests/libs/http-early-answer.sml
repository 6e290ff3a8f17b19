(* A server refuses a request when it has seen its beginning, and takes no more of it: the client waited for the time of SendTime,
   and then told of that, and not of the answer. *)
val listener : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 5)
val port = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))
fun send (sock, text) =
  ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))
val over = SyncVar.iVar () : unit SyncVar.ivar
fun serve () =
  let
    val (sock, _) = Socket.accept listener
  in
    ignore (Socket.recvVec (sock, 1000));
    send (sock, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
    SyncVar.iGet over;
    Socket.close sock
  end
fun try body =
  let
    val _ = CML.spawn serve
    val client = HTTPClient.client [HTTPClient.SendTime (Time.fromSeconds 20)]
    val start = Time.now ()
    val response =
      HTTPClient.send client {method = "POST",
                              url = concat ["http://127.0.0.1:", Int.toString port, "/"],
                              headers = HTTPHeaders.empty,
                              body = body}
    val text = HTTPBody.all {most = 10} (#body response)
  in
    print (concat [Int.toString (#status response),
                   " ",
                   text,
                   if Time.< (Time.- (Time.now (), start), Time.fromSeconds 15) then "\n"
                   else ", late\n"])
  end
  handle HTTPClient.Failed {cause, ...} => print (exnMessage cause ^ "\n")
val large = CharVector.tabulate (30000000, fn _ => #"x")
val () = try (HTTPBody.string large)
val closed = ref 0
val () =
  try (HTTPBody.stream {length = NONE,
                        next = fn () => String.substring (large, 0, 100000),
                        close = fn () => closed := !closed + 1})
val () = print (Int.toString (!closed) ^ " closed\n")
val () = SyncVar.iPut (over, ())
