(* A wire whose functions raise something else than OS.SysErr, as those over another stream of TLS do: isOver let that
   through with the stream's lock in its hands, so the next call waited for ever; and where an alert could not be sent,
   its exception was told in place of what had failed, and the wire was not closed. *)
fun say s = print (s ^ "\n")
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun attempt f =
  case Scope.within (Time.fromSeconds 20) (fn _ => f () handle Scope.Cancelled => raise Scope.Cancelled | e => exnMessage e) of
    SOME text => text
  | NONE => "it waits for ever"
fun over s = attempt (fn () => Bool.toString (Tls.isOver s))
fun read s = attempt (fn () => Byte.bytesToString (Tls.recvVec (s, 100)))
fun write s = attempt (fn () => (Tls.sendVec (s, bytes "text"); "sent"))
fun pair () = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock

(* TLS within TLS, whose outer connection ends without a word *)
fun within s : Tls.wire =
  {recvNow = fn () => Tls.recvVecNB (s, 65536), recv = Tls.recvVecEvt (s, 65536), sendNow = fn _ => NONE,
   send = fn slice => Tls.sendVecEvt (s, slice), close = fn () => Tls.close s}
val (a, b) = pair ()
val hasClosed = SyncVar.iVar () : unit SyncVar.ivar
val _ =
  CML.spawn (fn () =>
    let
      val inner = Tls.acceptOver server (within (Tls.accept server b))
    in
      Tls.sendVec (inner, bytes "hello");
      ignore (Tls.recvVec (inner, 100));
      Socket.close b;
      SyncVar.iPut (hasClosed, ())
    end)
val inner = Tls.connectOver (client, "localhost") (within (Tls.connect (client, "localhost") a))
val () = say (read inner)
val () = say (write inner)
val () = SyncVar.iGet hasClosed
val () = List.app say [over inner, over inner, read inner, read inner, over inner]

(* a wire that raises Fail from some time on *)
val isCut = ref false
val isClosed = ref false
fun cutWire sock : Tls.wire =
  let
    val {recvNow, recv, sendNow, send, close} = Tls.wire sock
    fun unless f = if !isCut then raise Fail "the wire is cut" else f ()
  in
    {recvNow = fn () => unless recvNow, recv = recv, sendNow = fn slice => unless (fn () => sendNow slice), send = send,
     close = fn () => (isClosed := true; close ())}
  end
val (a, b) = pair ()
val _ = CML.spawn (fn () => ignore (Tls.accept server b))
val s = Tls.connectOver (client, "localhost") (cutWire a)
val () = isCut := true
val () = List.app say [over s, over s, read s, write s, write s, over s]
val () = (Tls.close s; say (Bool.toString (!isClosed)))

(* What has failed is told, not that the alert about it could not be sent. *)
val () = (isCut := false; isClosed := false)
val (a, b) = pair ()
val _ = Socket.sendVec (b, bytes "this is no TLS at all")
val wire as {recvNow, recv, send, close, ...} = cutWire a
val deaf = {recvNow = recvNow, recv = recv, sendNow = fn _ => raise Fail "the wire is cut", send = send, close = close} : Tls.wire
val () = say (attempt (fn () => (ignore (Tls.acceptOver server deaf); "agreed")))
val () = say (Bool.toString (!isClosed))
