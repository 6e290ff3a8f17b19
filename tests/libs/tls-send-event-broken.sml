(* Tls.sendVecEvt on a connection that the other side has closed: it took whatever it was given, and never told. *)
fun say s = print (s ^ "\n")
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
fun connected () =
  let
    val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
    val over = SyncVar.iVar ()
    val _ = CML.spawn (fn () => (ignore (Tls.accept server b); Socket.close b; SyncVar.iPut (over, ())))
    val s = Tls.connect (client, "localhost") a
  in
    SyncVar.iGet over;
    s
  end
val piece = Word8VectorSlice.full (Word8Vector.tabulate (10000, fn _ => 0w1))
fun kind (OS.SysErr _) = "an error of the system"
  | kind e = exnMessage e
fun sends (s, event) =
  let
    fun go n = if n = 100 then "all is taken" else (ignore (CML.sync event); go (n + 1))
  in
    go 0 handle e => kind e
  end
val s = connected ()
val event = Tls.sendVecEvt (s, piece)
val () = say (sends (s, event))
(* and each time from then on *)
val () = say ((ignore (CML.sync event); "taken") handle e => kind e)
val () = Tls.close s
val () = say ((ignore (CML.sync event); "taken") handle e => kind e)
(* by itself, and by sendVec *)
val s = connected ()
val () = say ((app (fn _ => Tls.sendVec (s, piece)) (List.tabulate (100, fn i => i)); "all is taken") handle e => kind e)
val () = say (sends (s, Tls.sendVecEvt (s, piece)))
