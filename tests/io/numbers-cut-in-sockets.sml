(* Numbers that C has not are refused: cut to 32 bits, 2^32 + 5000 was a buffer of 5000 bytes, and 2^32 + 17 was UDP. *)

val big = 0x100000000
fun try name f = print (name ^ ": " ^ (f () handle e => exnMessage e) ^ "\n")

val s : INetSock.dgram_sock = INetSock.UDP.socket ()
val l : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () =
  (try "setRCVBUF" (fn () => (Socket.Ctl.setRCVBUF (s, big + 5000); "set"));
   try "setSNDBUF" (fn () => (Socket.Ctl.setSNDBUF (s, ~ big + 5000); "set"));
   try "setSNDBUF" (fn () => (Socket.Ctl.setSNDBUF (s, 5000); "set"));
   Socket.bind (l, INetSock.any 0);
   try "listen" (fn () => (Socket.listen (l, big + 1); "it listens"));
   try "listen" (fn () => (Socket.listen (l, 1); "it listens"));
   try "socket'" (fn () =>
     (ignore (GenericSock.socket' (INetSock.inetAF, Socket.SOCK.dgram, big + 17) : INetSock.dgram_sock); "made")))
