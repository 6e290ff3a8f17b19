(* A server that is asked to stop, while a client still sends a body that nobody reads: the answer was sent, the
   connection closed at once, and so the client got a reset in place of the answer. The time for the client to read it,
   LingerTime, now counts as time of the request: the server waits for that, too, but not for longer, and not beyond
   GraceTime. *)

val seconds = Time.fromSeconds
val here = valOf (NetHostDB.fromString "127.0.0.1")
fun send (sock, text) =
  let
    fun go slice =
      if Word8VectorSlice.isEmpty slice then ()
      else go (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
  in
    go (Word8VectorSlice.full (Byte.stringToBytes text))
  end
fun rest sock =
  let
    fun go pieces =
      case Byte.bytesToString (Socket.recvVec (sock, 65536)) of
        "" => concat (List.rev pieces)
      | piece => go (piece :: pieces)
  in
    go []
  end

val large = 3000000
val first =
  concat ["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ", Int.toString large, "\r\n\r\nx"]

(* A client that has sent the beginning of its request when the server stops and answers, and does then what the function
   says, given the socket and the event that the server has ended. *)
fun try (name, settings, f) =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val stop = SyncVar.iVar () : unit SyncVar.ivar
    fun handler _ = (SyncVar.iPut (stop, ()); HTTP.text 200 "answered\n")
    val all =
      HTTPServer.MaxBody large
      :: HTTPServer.StopWhen (SyncVar.iGetEvt stop)
      :: settings
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
  in
    Scope.run (fn scope =>
      let
        val ended = Scope.fork scope (fn () => HTTPServer.serve all listener handler)
      in
        Socket.connect (sock, INetSock.toAddr (here, HTTPServer.port listener));
        send (sock, first);
        print (concat [name, ": ", f (sock, ended), "\n"])
      end);
    Socket.close sock
  end

fun within (time, event) =
  CML.select [CML.wrap (event, fn () => true), CML.wrap (CML.timeOutEvt time, fn () => false)]
fun soon event = if within (seconds 20, event) then "it ends" else "it is late"

(* as long as it takes to be sure that the server has not ended *)
fun sendRest (sock, ended) =
  if within (Time.fromMilliseconds 300, ended) then "the server has ended"
  else
    let
      val () = send (sock, CharVector.tabulate (large - 1, fn _ => #"x"))
      val text = rest sock
    in
      Socket.shutdown (sock, Socket.NO_SENDS);
      concat [if String.isPrefix "HTTP/1.1 200 OK\r\n" text then "200" else text,
              if String.isSuffix "\r\n\r\nanswered\n" text then ", answered, " else text,
              soon ended]
    end
    handle OS.SysErr _ => "an error of the socket"
val () =
  try ("a body that is still sent",
       [HTTPServer.LingerTime (seconds 60), HTTPServer.GraceTime (seconds 60)],
       sendRest)

fun staySilent (_, ended) = soon ended
val short = Time.fromMilliseconds 200
val () =
  try ("LingerTime",
       [HTTPServer.LingerTime short, HTTPServer.GraceTime (seconds 60)],
       staySilent)
val () =
  try ("GraceTime",
       [HTTPServer.LingerTime (seconds 60), HTTPServer.GraceTime short],
       staySilent)
