(* What came before an error is given before it is raised, also where both came in one piece. *)
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
(* `late`: whether the second record comes so late that the first one was read before. *)
fun try late =
  let
    val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
    (* late: the second comes when the first has been read; else both are there before anything is read *)
    val (goOn, sent) = (SyncVar.iVar (), SyncVar.iVar ())
    fun serve () =
      let
        val s = Tls.accept server b
      in
        Tls.sendVec (s, bytes "first");
        if late then SyncVar.iGet goOn else ();
        Tls.sendVec (s, bytes "second");
        SyncVar.iPut (sent, ())
      end
    val _ = CML.spawn serve
    val {recvNow, recv, sendNow, send, close} = Tls.wire a
    val isWrong = ref false
    (* Somebody on the way changes the last byte. *)
    fun change v =
      if !isWrong then Word8Vector.update (v, Word8Vector.length v - 1, Word8.xorb (0wx55, Word8Vector.sub (v, Word8Vector.length v - 1)))
      else v
    val s =
      Tls.connectOver (client, "localhost")
        {recvNow = fn () => Option.map change (recvNow ()), recv = CML.wrap (recv, change),
         sendNow = sendNow, send = send, close = close}
    fun read () = print (Byte.bytesToString (Tls.recvVec (s, 100)) ^ "\n") handle e => print (exnMessage e ^ "\n")
  in
    if late then read () else SyncVar.iGet sent;
    isWrong := true;
    SyncVar.iPut (goOn, ());
    read ();
    if late then () else read ()
  end
val () = try true
val () = print "--\n"
val () = try false
