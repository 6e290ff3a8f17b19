(* A read of a body that was cancelled is not followed by the end, as if the body were whole. *)
fun say s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
val cancelled = SyncVar.iVar () : unit SyncVar.ivar
val sock = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
val () = Socket.bind (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (sock, 5)
val port = #2 (INetSock.fromAddr (Socket.Ctl.getSockName sock))
fun serve () =
  let
    val (c, _) = Socket.accept sock
    fun send s = ignore (Socket.sendVec (c, bytes s))
  in
    ignore (Socket.recvVec (c, 4096));
    send "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst";
    SyncVar.iGet cancelled;
    send " last" handle OS.SysErr _ => ();
    ignore (Socket.recvVec (c, 10)) handle OS.SysErr _ => ()
  end
val _ = CML.spawn serve
val client = HTTPClient.client []
val {body, ...} = HTTPClient.get client ("http://127.0.0.1:" ^ Int.toString port ^ "/")
(* Some time for each piece; who has waited in vain does something else, and asks again. *)
fun all 0 = raise Fail "nothing comes"
  | all n =
      case Scope.within (Time.fromReal 0.4) (fn _ => HTTPBody.read body) of
        NONE => (say "nothing yet"; SyncVar.iPut (cancelled, ()); all (n - 1))
      | SOME "" => ""
      | SOME piece => piece ^ all n
val () = say (concat ["the body: `", all 10 handle HTTPClient.Failed {cause, ...} => exnMessage cause, "`"])
