(* Row W8: a server that echoes, a thread each connection, beside four threads that compute without end.
   usage: mixed PORT *)

structure Mixed =
struct
  fun compute x = compute (x * 0w6364136223846793005 + 0w1442695040888963407 : word)

  fun send (socket, slice) =
    let
      val sent = Socket.sendVec (socket, slice)
    in
      if sent = Word8VectorSlice.length slice then ()
      else send (socket, Word8VectorSlice.subslice (slice, sent, NONE))
    end

  fun echo socket =
    let
      val bytes = Socket.recvVec (socket, 4096)
    in
      if Word8Vector.length bytes = 0 then Socket.close socket
      else (send (socket, Word8VectorSlice.full bytes); echo socket)
    end

  fun serve listener =
    let
      val (socket, _) = Socket.accept listener
    in
      ignore (CML.spawn (fn () => echo socket handle OS.SysErr _ => Socket.close socket));
      serve listener
    end

  fun main port =
    let
      val listener = INetSock.TCP.socket ()
    in
      Socket.bind (listener, INetSock.any port);
      Socket.listen (listener, 1024);
      List.app (fn x => ignore (CML.spawn (fn () => compute x))) [0w1, 0w2, 0w3, 0w4];
      serve listener
    end

  val () =
    case List.mapPartial Int.fromString (CommandLine.arguments ()) of
      [port] => ignore (RunCML.doit (fn () => main port, NONE))
    | _ =>
        (TextIO.output (TextIO.stdErr, "usage: mixed PORT\n"); OS.Process.exit OS.Process.failure)
end
