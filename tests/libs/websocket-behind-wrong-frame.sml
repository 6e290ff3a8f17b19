(* What came behind a frame that was wrong was read as frames by the next call of receive, which gave messages of it. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val got = SyncVar.mVarInit [] : string list SyncVar.mvar
fun note s = SyncVar.mPut (got, s :: SyncVar.mTake got)
fun talk socket =
  let
    fun go 0 = ()
      | go n =
          (note (case WebSocket.receive socket of
                   SOME (WebSocket.TEXT s) => s
                 | SOME (WebSocket.BINARY s) => "binary " ^ s
                 | NONE => "none");
           go (n - 1))
  in
    go 4
  end
val done =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler [] talk))
fun frame (first, payload) = concat [first, str (chr (128 + size payload)), "\000\000\000\000", payload]
fun try frames =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val () = Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port))
    val () =
      ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         \Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" ^ concat frames))))
    fun all () = case Byte.bytesToString (Socket.recvVec (sock, 4096)) of "" => () | _ => all ()
  in
    all () handle OS.SysErr _ => ();
    Socket.close sock;
    print (String.concatWith ", " (rev (SyncVar.mSwap (got, []))) ^ "\n")
  end
val good = frame ("\129", "good")
(* no UTF-8; reserved bits; a part of no message; an end, and more behind it *)
val () = app (fn wrong => try [good, wrong, good, good]) [frame ("\129", "\255"), frame ("\193", "x"), frame ("\128", "x"), frame ("\136", "")]
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
