(* RFC 6455, 4.1: a client fails the connection if the server's 101 lacks `Connection: Upgrade`, has an extension, or a
   subprotocol that nobody asked for; it took all three. And 5.5.1, 7.4: `close` sent the number 70000 as 4464, and a reason
   that is not UTF-8 as it was. *)
val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 8)
val port = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))
fun take sock = Byte.bytesToString (Socket.recvVec (sock, 10000))
fun put (sock, text) =
  ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))

(* what is behind the header of a request *)
fun header sock =
  let
    fun go text = if String.isSuffix "\r\n\r\n" text then text else go (text ^ take sock)
  in
    go ""
  end
fun keyIn head =
  let
    val (_, back) = Substring.position "Sec-WebSocket-Key: " (Substring.full head)
  in
    Substring.string (Substring.takel (fn c => c <> #"\r") (Substring.triml 19 back))
  end
fun accepted key = Base64.encode (SHA1.ofString (key ^ "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))

(* Each connection is answered by 101 with the next fields, and an end; what the client sends is shown without its mask. *)
val sent = Mailbox.mailbox () : string Mailbox.mbox
fun unmasked text =
  if size text < 6 then text
  else
    let
      fun byte i = Byte.charToByte (String.sub (text, i))
    in
      CharVector.tabulate
        (size text - 6, fn i => Byte.byteToChar (Word8.xorb (byte (i + 6), byte (2 + i mod 4))))
    end
fun serve fields =
  let
    val (sock, _) = Socket.accept listener
    val key = keyIn (header sock)
    val () =
      put (sock,
           concat
             ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nSec-WebSocket-Accept: ",
              accepted key,
              "\r\n",
              fields,
              "\r\n"])
    val text = take sock handle OS.SysErr _ => ""
  in
    put (sock, "\136\002\003\232") handle OS.SysErr _ => ();
    Mailbox.send (sent, unmasked text);
    Socket.close sock
  end

val client = HTTPClient.client []
fun connect (fields, asked, run) =
  let
    val () = ignore (CML.spawn (fn () => serve fields))
    fun talk socket = (run socket; "connected")
  in
    WebSocket.connect
      client
      []
      {url = concat ["ws://127.0.0.1:", Int.toString port, "/"],
       headers =
         HTTPHeaders.fromList (List.map (fn name => ("Sec-WebSocket-Protocol", name)) asked)}
      talk
    handle HTTPClient.Failed {cause, ...} => exnMessage cause
         | e => exnMessage e
  end
fun try (fields, asked) =
  (print (concat [String.toString fields, ": ", connect (fields, asked, ignore), "\n"]);
   ignore (Mailbox.recv sent))
val up = "Connection: Upgrade\r\n"
val () =
  List.app try [(up, []),
                ("Connection: keep-alive, upgrade\r\n", []),
                ("", []),
                ("Connection: close\r\n", []),
                (up ^ "Sec-WebSocket-Extensions: permessage-deflate\r\n", []),
                (up ^ "Sec-WebSocket-Protocol: chat\r\n", []),
                (up ^ "Sec-WebSocket-Protocol: chat\r\n", ["talk, chat"]),
                (up ^ "Sec-WebSocket-Protocol: Chat\r\n", ["talk, chat"]),
                (up, ["talk", "chat"]),
                (up ^ "Sec-WebSocket-Protocol: talk\r\nSec-WebSocket-Protocol: chat\r\n",
                 ["talk", "chat"])]

(* the number and the reason that go out, and what is raised *)
fun close (code, reason) =
  let
    val said = connect (up, [], fn socket => WebSocket.close (socket, code, reason))
  in
    print (concat [Int.toString code, ": ", String.toString (Mailbox.recv sent), " ", said, "\n"])
  end
val () =
  List.app close [(1000, "bye"),
                  (4999, ""),
                  (1001, "x\255y"),
                  (1001, "\195\164\195"),
                  (70000, ""),
                  (1005, ""),
                  (1006, ""),
                  (1015, ""),
                  (999, ""),
                  (5000, ""),
                  (~1, "")]
