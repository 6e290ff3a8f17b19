(* Behind Tls.finish nothing can be sent; it had seemed to be. *)
fun say s = print (s ^ "\n")
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
val got = SyncVar.iVar ()
val _ = CML.spawn (fn () =>
  let val s = Tls.accept server b
      fun go l = case Byte.bytesToString (Tls.recvVec (s, 100)) of "" => rev ("<end>" :: l) | t => go (t :: l)
  in SyncVar.iPut (got, String.concatWith "|" (go [] handle e => [exnMessage e])) end)
val s = Tls.connect (client, "localhost") a
val () = Tls.sendVec (s, bytes "one")
val () = Tls.finish s
val () = (Tls.sendVec (s, bytes "two"); say "sent") handle e => say (exnMessage e)
val () = say (SyncVar.iGet got)
