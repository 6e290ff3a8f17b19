(* A WebSocket over TLS was given to a page that had come without: whoever can change that page on its way could use
   what the browser knows of the host. A server without TLS takes both: a proxy before it may speak TLS. *)
val handler = WebSocket.handler [] ignore
val tls = {version = "TLS 1.3", cipher = "", protocol = NONE, name = NONE, certificates = []} : HTTP.secure
fun status (origin, secure) =
  let
    val text =
      concat ["GET / HTTP/1.1\r\nHost: bank.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
              "Origin: ",
              origin,
              "\r\n\r\n"]
    val {method, target, path, query, host, minor, headers, body, peer, secure = _} =
      valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text))
  in
    #status (handler {method = method,
                      target = target,
                      path = path,
                      query = query,
                      host = host,
                      minor = minor,
                      headers = headers,
                      body = body,
                      peer = peer,
                      secure = secure})
  end
fun show origin =
  print (concat [origin,
                 ": ",
                 Int.toString (status (origin, NONE)),
                 ", over TLS ",
                 Int.toString (status (origin, SOME tls)),
                 "\n"])
val () =
  List.app show ["http://bank.example", "https://bank.example", "HTTPS://Bank.Example", "https://bank.example.evil"]
