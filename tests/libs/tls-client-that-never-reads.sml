(* A client of TLS 1.3 that sent something and closed the connection, and never read: the tickets of the server lay unread in
   its socket, so the system reset the connection, and dropped what had not gone out yet. *)
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
fun client only = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert, only]
val most = 100000
fun visit (name, only, reads) =
  let
    val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
    val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
    (* Most of it does not fit there, and waits on the client's side. *)
    val () = Socket.Ctl.setRCVBUF (listener, 4096)
    val () = Socket.listen (listener, 1)
    val got = SyncVar.iVar ()
    val isSent = SyncVar.iVar ()
    fun serve () =
      let
        val stream = Tls.accept server (#1 (Socket.accept listener))
        fun go n =
          case Word8Vector.length (Tls.recvVec (stream, 4096)) of
            0 => Int.toString n ^ " bytes, and the end"
          | m => go (n + m)
      in
        (* it reads when all is on the way, and maybe a reset *)
        SyncVar.iGet isSent;
        OS.Process.sleep (Time.fromMilliseconds 100);
        SyncVar.iPut (got, go 0 handle e => exnMessage e);
        Tls.close stream
      end
    val _ = CML.spawn serve
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val () = Socket.Ctl.setSNDBUF (sock, 4 * most)
    val () = Socket.connect (sock, Socket.Ctl.getSockName listener)
    val stream = Tls.connect (client only, "localhost") sock
    fun send n = Tls.sendVec (stream, Word8VectorSlice.full (Word8Vector.tabulate (n, fn _ => 0w65)))
  in
    send most;
    if reads then ignore (Tls.recvVecNB (stream, 1)) else ();
    SyncVar.iPut (isSent, ());
    Tls.close stream;
    print (concat [name, ": ", SyncVar.iGet got, "\n"]);
    Socket.close listener
  end
val () =
  app visit
    [("TLS 1.3", Tls.Only13, false), ("TLS 1.3, looked once", Tls.Only13, true), ("TLS 1.2", Tls.Only12, false)]
