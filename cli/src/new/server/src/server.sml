structure Server :> SERVER =
struct
  type listener = (INetSock.inet, Socket.passive Socket.stream) Socket.sock

  fun listen port =
    let
      val listener = INetSock.TCP.socket ()
      val loopback = valOf (NetHostDB.fromString "127.0.0.1")
    in
      Socket.Ctl.setREUSEADDR (listener, true);
      Socket.bind (listener, INetSock.toAddr (loopback, port));
      Socket.listen (listener, 128);
      listener
    end

  fun port listener = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))

  (* A client that goes away in the middle is no matter. *)
  fun client (socket, answer) =
    let
      val reader = Lines.reader socket
      fun loop () =
        case Lines.read reader of
          SOME line => (Lines.write (socket, answer line); loop ())
        | NONE => ()
    in
      loop () handle OS.SysErr _ => ();
      Socket.close socket
    end

  fun serve (listener, answer) =
    let
      val (socket, _) = Socket.accept listener
    in
      ignore (CML.spawn (fn () => client (socket, answer)));
      serve (listener, answer)
    end
end
