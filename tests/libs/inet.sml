(* Addresses as text; whole messages between two threads over the loopback. *)

fun line s = print (s ^ "\n")
fun show {host, port} =
  (case host of SockUtil.HostName n => n | SockUtil.HostAddr a => NetHostDB.toString a)
  ^ " "
  ^ (case port of NONE => "-" | SOME (SockUtil.PortNumber n) => Int.toString n | SOME (SockUtil.ServName s) => "service " ^ s)
val () =
  List.app (fn s => line (case SockUtil.addrFromString s of SOME a => show a | NONE => "none"))
    ["localhost:80", "127.0.0.1:http", "a.b-c.org", " x:1 ", ":80", "x:", "x:99999999999999999999"]

val any = valOf (NetHostDB.fromString "127.0.0.1")
val listener = INetSock.TCP.socket ()
val () = Socket.bind (listener, INetSock.toAddr (any, 0))
val () = Socket.listen (listener, 5)
val (_, port) = INetSock.fromAddr (Socket.Ctl.getSockName listener)
val big = CharVector.tabulate (300000, fn i => chr (i mod 256))

(* Sends back what it got, as often as it was told. *)
fun serve () =
  let
    val (sock, _) = Socket.accept listener
    val first = SockUtil.recvStr (sock, 5)
    val rest = SockUtil.recvStr (sock, size big)
  in
    SockUtil.sendStr (sock, first);
    SockUtil.sendVec (sock, Byte.stringToBytes rest);
    Socket.close sock
  end

val server = CML.spawn serve
val sock = SockUtil.connectINetStrm {addr = any, port = port}
val () = SockUtil.sendStr (sock, "hello")
val () = SockUtil.sendArr (sock, Word8Array.tabulate (size big, fn i => Byte.charToByte (String.sub (big, i))))
val () = line (SockUtil.recvStr (sock, 5))
val () = line (Bool.toString (SockUtil.recvStr (sock, size big + 10) = big))
val () = (Socket.close sock; Socket.close listener)
val () = line ((ignore (SockUtil.recvVec (sock, ~1)); "received") handle Size => "size")
