(* One side of a connection, for tests/tls.rs: `server WORDS` prints its port, and says of each client what it has agreed on
   and echoes its lines; `client HOST PORT WORDS` sends a line and prints what comes. Words: cert CHAIN KEY, trust FILE, only
   12, only 13, alpn NAME, ask, require, system. *)

fun settings ("cert" :: chain :: key :: rest) =
      Tls.Certificate {chain = chain, key = key} :: settings rest
  | settings ("trust" :: file :: rest) = Tls.Trust file :: Tls.NotTheSystem :: settings rest
  | settings ("only" :: "12" :: rest) = Tls.Only12 :: settings rest
  | settings ("only" :: "13" :: rest) = Tls.Only13 :: settings rest
  | settings ("alpn" :: name :: rest) = Tls.Protocols [name] :: settings rest
  | settings ("ask" :: rest) = Tls.AskClients :: settings rest
  | settings ("require" :: rest) = Tls.RequireClients :: settings rest
  | settings (_ :: rest) = settings rest
  | settings [] = []

fun say text = (print (text ^ "\n"); TextIO.flushOut TextIO.stdOut)
fun failed e = say ("failed: " ^ exnMessage e)

fun agreed s =
  let
    val {version, protocol, name, certificates, ...} = Tls.agreement s
  in
    say (concat ["agreed: ",
                 version,
                 " ",
                 Option.getOpt (protocol, "-"),
                 " ",
                 Option.getOpt (name, "-"),
                 " ",
                 Int.toString (length certificates)])
  end

fun serve words =
  let
    val server = Tls.server (settings words)
    val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
    val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
    val () = Socket.listen (listener, 10)
    val () = say (Int.toString (#2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))))
    fun echo s =
      let
        val v = Tls.recvVec (s, 4096)
      in
        if Word8Vector.length v = 0 then ()
        else (Tls.sendVec (s, Word8VectorSlice.full v); echo s)
      end
    fun one () =
      let
        val (sock, _) = Socket.accept listener
      in
        (let
           val s = Tls.accept server sock
         in
           (agreed s; echo s; say "ended") handle e => failed e;
           Tls.close s
         end)
        handle e => failed e;
        one ()
      end
  in
    one ()
  end

fun ask (host, port, words) =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val place = valOf (NetHostDB.fromString "127.0.0.1")
    val () = Socket.connect (sock, INetSock.toAddr (place, valOf (Int.fromString port)))
    val s = Tls.connect (Tls.client (settings words), host) sock
    val () = agreed s
    fun rest () =
      case Byte.bytesToString (Tls.recvVec (s, 4096)) of
        "" => say "ended"
      | text => (print text; if String.isSuffix "\n" text then () else rest ())
  in
    Tls.sendVec (s, Word8VectorSlice.full (Byte.stringToBytes "hello\n"));
    rest ();
    Tls.close s
  end
  handle e => failed e

val () =
  case CommandLine.arguments () of
    "server" :: words => serve words
  | "client" :: host :: port :: words => ask (host, port, words)
  | _ => say "which side?"
