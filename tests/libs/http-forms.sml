(* HTTPForm, HTTPCookie and WebSocket: texts that come from browsers, and what they must not bring about. The frames are
   those of RFC 6455, 5.7, and of the cases of the Autobahn suite: each fragment, length and control frame that is
   allowed, and those that are not. *)

fun check (name, expected, got) =
  if got = expected then ()
  else
    print (concat [name, ": ", String.toString got, ", and not ", String.toString expected, "\n"])
fun fields all = String.concatWith "|" (List.map (fn (n, v) => n ^ "=" ^ v) all)

fun request (method, target, headers, body) : HTTP.request =
  valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString (concat [method,
                                                                                " ",
                                                                                target,
                                                                                " HTTP/1.1\r\nHost: h:80\r\nContent-Length: ",
                                                                                Int.toString
                                                                                (size body),
                                                                                "\r\n",
                                                                                concat (List.map
                                                                                (fn (n, v) =>
                                                                                concat [n,
                                                                                ": ",
                                                                                v,
                                                                                "\r\n"])
                                                                                headers),
                                                                                "\r\n",
                                                                                body])))

(* -- forms *)

val () =
  List.app (fn (text, expected) => check (text, expected, fields (HTTPForm.parse text))) [("", ""),
                                                                                ("a=b", "a=b"),
                                                                                ("a=b&c=d",
                                                                                "a=b|c=d"),
                                                                                ("a", "a="),
                                                                                ("a=", "a="),
                                                                                ("=b", "=b"),
                                                                                ("a=b=c", "a=b=c"),
                                                                                ("&&a=b&", "a=b"),
                                                                                ("a+b=c%20d",
                                                                                "a b=c d"),
                                                                                ("%3d=%26%2B",
                                                                                "==&+"),
                                                                                ("a=%C3%a4",
                                                                                "a=\195\164"),
                                                                                ("a=100%",
                                                                                "a=100%"),
                                                                                ("a=%zz", "a=%zz"),
                                                                                ("a=1&a=2",
                                                                                "a=1|a=2")]
val () = check ("get", "1", valOf (HTTPForm.get [("a", "1"), ("b", "2"), ("a", "3")] "a"))
val () =
  check
    ("all", "1 3", String.concatWith " " (HTTPForm.all [("a", "1"), ("b", "2"), ("a", "3")] "a"))
(* All bytes go there and back. *)
val bytes = CharVector.tabulate (256, Char.chr)
val () =
  check ("round",
         fields [(bytes, bytes), ("", "")],
         fields (HTTPForm.parse (HTTPForm.toString [(bytes, bytes), ("", "")])))
(* A blank was %20, and ~ and * stood the other way round: not what the URL Standard says, nor what URL.form wrote. *)
val () =
  check ("as browsers write it",
         "a+b=%7E*-._%21&%2B=%25",
         HTTPForm.toString [("a b", "~*-._!"), ("+", "%")])
val () = check ("a part", bytes, valOf (HTTPForm.decode (HTTPForm.encode bytes)))
val () = check ("+ is a plus in a part", "a+b", valOf (HTTPForm.decode "a+b"))
val () =
  check ("query", "a=b|c=d e", fields (HTTPForm.query (request ("GET", "/?a=b&c=d+e", [], ""))))

fun parts (kind, body) =
  String.concatWith "|" (List.map
                           (fn {name, file, kind, text} =>
                             concat [name, "(", Option.getOpt (file, "-"), " ", kind, ")", text])
                           (HTTPForm.parts {most = 10000} (request ("POST",
                                                                    "/",
                                                                    case kind of
                                                                      "" => []
                                                                    | k => [("Content-Type", k)],
                                                                    body))))
  handle HTTPForm.Malformed why => why
       | HTTPBody.TooLarge => "too large"
val multi = "multipart/form-data; boundary=XX"
fun crlf s = String.translate (fn #"~" => "\r\n" | c => String.str c) s
fun part (said, more, text) =
  concat ["--XX~Content-Disposition: form-data; ", said, "~", more, "~", text, "~"]
val () =
  List.app
    (fn (kind, body, expected) => check (kind ^ " " ^ body, crlf expected, parts (kind, crlf body)))
    [("application/x-www-form-urlencoded", "a=b&c=d", "a(- text/plain)b|c(- text/plain)d"),
     ("Application/X-WWW-Form-URLEncoded; charset=utf-8", "a=b", "a(- text/plain)b"),
     (multi, part ("name=\"a\"", "", "b") ^ "--XX--~", "a(- text/plain)b"),
     (multi,
      part ("name=\"a\"", "", "b") ^ part ("name=c", "", "d") ^ "--XX--",
      "a(- text/plain)b|c(- text/plain)d"),
     (multi,
      part ("name=\"f\"; filename=\"x y.png\"", "Content-Type: image/png~", "1~2~--X~3")
      ^ "--XX--~",
      "f(x y.png image/png)1~2~--X~3"),
     (multi,
      part ("name=\"a\\\"b\"; filename=\"C:\\dir\\f\"", "", "") ^ "--XX--~",
      "a\"b(C:\\dir\\f text/plain)"),
     ("multipart/form-data; boundary=\"XX\"",
      "before~" ^ part ("name=a", "", "b") ^ "--XX--behind",
      "a(- text/plain)b"),
     (multi, "--XX--~", ""),
     (multi, "", "no part"),
     (multi, "--XXa~", "no line end behind a boundary"),
     (multi, part ("name=a", "", "b"), "a part without an end"),
     (multi, part ("nome=a", "", "b") ^ "--XX--~", "a part without a name"),
     (* RFC 2046, 5.1.1: blanks behind a boundary were refused *)
     (multi,
      "--XX \t~Content-Disposition: form-data; name=a~~b~--XX ~Content-Disposition: form-data; name=c~~d~--XX-- ~",
      "a(- text/plain)b|c(- text/plain)d"),
     (multi, "--XX  a~", "no line end behind a boundary"),
     (multi, "--XX  ", "no line end behind a boundary"),
     (multi, "--XX~~b~--XX--~", "a part without Content-Disposition"),
     (multi,
      "--XX~Content-Disposition: attachment; name=a~~b~--XX--~",
      "a part that is no form-data"),
     (multi, "--XX~A : b~~b~--XX--~", "a line of a header is no field"),
     (multi, "--XX~no header~--XX--~", "a part without a header"),
     (multi, part ("name=\"a", "", "b") ^ "--XX--~", "a quote that is not closed"),
     (multi,
      concat (List.tabulate (250, fn _ => part ("name=a", "", "b"))) ^ "--XX--~",
      "too large"),
     ("multipart/form-data", "", "no boundary"),
     ("text/plain", "a=b", "a form is not of the kind text/plain"),
     ("", "a=b", "the body has no kind")]
val () =
  check ("form",
         "a=b",
         fields (HTTPForm.form {most = 1000} (request ("POST",
                                                       "/",
                                                       [("Content-Type", multi)],
                                                       crlf (part ("name=a", "", "b")
                                                             ^ part ("name=f; filename=g", "", "c")
                                                             ^ "--XX--~")))))

(* -- cookies *)

fun cookies lines =
  fields (HTTPCookie.all (request ("GET", "/", List.map (fn v => ("Cookie", v)) lines, "")))
val () =
  List.app
    (fn (lines, expected) => check (String.concatWith "/" lines, expected, cookies lines))
    [([], ""),
     (["a=b"], "a=b"),
     (["a=b; c=d"], "a=b|c=d"),
     (["a=b;c=d"], "a=b|c=d"),
     (["a=\"b\""], "a=b"),
     (["a=b=c"], "a=b=c"),
     (["a=b", "c=d"], "a=b|c=d"),
     (["; a=b; ;"], "a=b"),
     (["a"], "a=")]
val {path, domain, hidden, site, ...} = HTTPCookie.about
fun set about cookie =
  valOf (HTTPHeaders.get (#headers (HTTPCookie.set about cookie (HTTP.status 200))) "set-cookie")
  handle HTTPHeaders.Invalid _ => "invalid"
val () =
  List.app (fn (got, expected) => check (expected, expected, got)) [(set
                                                                       HTTPCookie.about
                                                                       ("a", "b"),
                                                                     "a=b; Path=/; Secure; HttpOnly; SameSite=Lax"),
                                                                    (set
                                                                       {path = "/x",
                                                                        domain = SOME "d",
                                                                        age =
                                                                          SOME
                                                                            (Time.fromSeconds 60),
                                                                        secure = false,
                                                                        hidden = false,
                                                                        site = HTTPCookie.STRICT}
                                                                       ("a", ""),
                                                                     "a=; Path=/x; Domain=d; Max-Age=60; SameSite=Strict"),
                                                                    (valOf (HTTPHeaders.get
                                                                              (#headers
                                                                                (HTTPCookie.forget
                                                                                HTTPCookie.about
                                                                                "a"
                                                                                (HTTP.status 200)))
                                                                              "set-cookie"),
                                                                     "a=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"),
                                                                    (set
                                                                       HTTPCookie.about
                                                                       ("a b", "c"),
                                                                     "invalid"),
                                                                    (set
                                                                       HTTPCookie.about
                                                                       ("a", "b; Domain=x"),
                                                                     "invalid"),
                                                                    (set
                                                                       HTTPCookie.about
                                                                       ("a", "b c"),
                                                                     "invalid"),
                                                                    (set
                                                                       HTTPCookie.about
                                                                       ("a", "b\r\nX: y"),
                                                                     "invalid"),
                                                                    (set
                                                                       {path = "/; Domain=x",
                                                                        domain = domain,
                                                                        age = NONE,
                                                                        secure = true,
                                                                        hidden = hidden,
                                                                        site = site}
                                                                       ("a", "b"),
                                                                     "invalid")]

(* -- WebSocket *)

fun talk (socket, said) =
  case WebSocket.receive socket of
    NONE => ()
  | SOME (WebSocket.TEXT "end") => WebSocket.close (socket, 1000, "as you like")
  | SOME (WebSocket.TEXT "leave") => ()
  | SOME (WebSocket.TEXT "fail") => raise Fail "a mistake"
  | SOME message => (WebSocket.send (socket, message); talk (socket, said))
val settings = [WebSocket.MaxMessage 1000, WebSocket.SilentTime (Time.fromMilliseconds 1000)]
val handler = WebSocket.handler settings (fn socket => talk (socket, ()))

val stop = SyncVar.iVar () : unit SyncVar.ivar
val ended = SyncVar.iVar () : unit SyncVar.ivar
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val _ =
  CML.spawn (fn () =>
    (HTTPServer.serve
       [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
        HTTPServer.OnError (fn _ => ()),
        HTTPServer.GraceTime (Time.fromMilliseconds 10)]
       listener
       handler;
     SyncVar.iPut (ended, ())))

fun connect () =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
  in
    Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port));
    sock
  end
fun send (sock, text) =
  let
    fun go slice =
      if Word8VectorSlice.isEmpty slice then ()
      else go (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
  in
    go (Word8VectorSlice.full (Byte.stringToBytes text)) handle OS.SysErr _ => ()
  end
fun rest sock =
  let
    fun go pieces =
      case Byte.bytesToString (Socket.recvVec (sock, 65536)) handle OS.SysErr _ => "" of
        "" => concat (List.rev pieces)
      | piece => go (piece :: pieces)
  in
    go [] before Socket.close sock
  end

fun hello more =
  "GET /chat HTTP/1.1~Host: server.example.com~Upgrade: websocket~Connection: keep-alive, Upgrade~\
  \Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==~Sec-WebSocket-Version: 13~"
  ^ more
  ^ "~"
(* The answer's status, and what comes behind its header. *)
fun exchange (first, bytes) =
  let
    val sock = connect ()
    val () = (send (sock, crlf first); send (sock, bytes))
    val text = Substring.full (rest sock)
    val (header, behind) = Substring.position "\r\n\r\n" text
    val status = Substring.string (Substring.slice (header, 9, SOME 3))
    val accepted =
      Substring.isSubstring "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" header
  in
    (if status = "101" then if accepted then "" else "not accepted " else status,
     Substring.string (Substring.triml 4 behind))
  end

(* Frames as hexadecimal digits with blanks; what is written in quotes is text. *)
fun masked (first, payload) =
  let
    val n = size payload
    fun char k = String.str (Char.chr (k mod 256))
    val length = if n < 126 then char (128 + n) else char (128 + 126) ^ char (n div 256) ^ char n
    val key = [0wx37, 0wxfa, 0wx21, 0wx3d] : Word8.word list
  in
    concat [char first,
            length,
            "\055\250\033\061",
            CharVector.mapi
              (fn (i, c) =>
                Byte.byteToChar (Word8.xorb (Byte.charToByte c, List.nth (key, i mod 4))))
              payload]
  end
(* The frames that come back: kind and text. *)
fun shown text =
  let
    fun go s =
      if Substring.size s < 2 then Substring.string s
      else
        let
          val byte = fn i => Char.ord (Substring.sub (s, i))
          val (start, n) = if byte 1 = 126 then (4, 256 * byte 2 + byte 3) else (2, byte 1)
          val payload = Substring.slice (s, start, SOME n)
          val text =
            if byte 0 = 136 andalso n >= 2 then
              Int.toString (256 * Char.ord (Substring.sub (payload, 0))
                            + Char.ord (Substring.sub (payload, 1)))
              ^ Substring.string (Substring.triml 2 payload)
            else if n > 200 then Int.toString n
            else Substring.string payload
        in
          concat [Int.toString (byte 0 - 128), ":", text, " ", go (Substring.triml (start + n) s)]
        end
  in
    go (Substring.full text)
  end

val (text, binary, closing, ping, pong, more) = (129, 130, 136, 137, 138, 128)
fun long n = CharVector.tabulate (n, fn _ => #"x")
val bye = masked (closing, "\003\232")
val rows =
  [("a text", masked (text, "Hello") ^ bye, "1:Hello 8:1000 "),
   ("the RFC's own", "\129\133\055\250\033\061\127\159\077\081\088" ^ bye, "1:Hello 8:1000 "),
   ("bytes", masked (binary, "\000\255") ^ bye, "2:\000\255 8:1000 "),
   ("an empty one", masked (text, "") ^ bye, "1: 8:1000 "),
   ("125 bytes", masked (text, long 125) ^ bye, "1:" ^ long 125 ^ " 8:1000 "),
   ("126 bytes", masked (text, long 126) ^ bye, "1:" ^ long 126 ^ " 8:1000 "),
   ("as many as are taken", masked (text, long 1000) ^ bye, "1:1000 8:1000 "),
   ("one more", masked (text, long 1001) ^ bye, "8:1009a message that is too long "),
   ("parts", masked (1, "Hel") ^ masked (0, "l") ^ masked (more, "o") ^ bye, "1:Hello 8:1000 "),
   ("a ping between them",
    masked (1, "Hel") ^ masked (ping, "p") ^ masked (more, "lo") ^ bye,
    "10:p 1:Hello 8:1000 "),
   ("empty parts",
    concat (masked (1, "") :: List.tabulate (2000, fn _ => masked (0, "")))
    ^ masked (more, "a")
    ^ bye,
    "1:a 8:1000 "),
   ("parts that are too long together",
    masked (1, long 600) ^ masked (more, long 600) ^ bye,
    "8:1009a message that is too long "),
   ("a pong that nobody asked for", masked (pong, "x") ^ bye, "8:1000 "),
   ("a character in two parts",
    masked (1, "\195") ^ masked (more, "\164") ^ bye,
    "1:\195\164 8:1000 "),
   ("half a character", masked (text, "\195") ^ bye, "8:1007a text that is not UTF-8 "),
   ("a surrogate", masked (text, "\237\160\128") ^ bye, "8:1007a text that is not UTF-8 "),
   ("a form that is too long", masked (text, "\192\175") ^ bye, "8:1007a text that is not UTF-8 "),
   ("beyond Unicode", masked (text, "\244\144\128\128") ^ bye, "8:1007a text that is not UTF-8 "),
   ("the last character", masked (text, "\244\143\191\191") ^ bye, "1:\244\143\191\191 8:1000 "),
   ("bytes need not be UTF-8", masked (binary, "\195") ^ bye, "2:\195 8:1000 "),
   ("no mask", "\129\005Hello" ^ bye, "8:1002a frame without a mask "),
   ("reserved bits", masked (129 + 64, "Hello") ^ bye, "8:1002reserved bits "),
   ("an unknown kind", masked (131, "") ^ bye, "8:1002a frame of a kind that is none "),
   ("an unknown control frame", masked (139, "") ^ bye, "8:1002a frame of a kind that is none "),
   ("a ping in parts", masked (9, "") ^ bye, "8:1002a control frame in parts "),
   ("a long ping", masked (ping, long 126) ^ bye, "8:1002a control frame that is too long "),
   ("a part of nothing", masked (more, "x") ^ bye, "8:1002a part of no message "),
   ("a message within another",
    masked (1, "x") ^ masked (text, "y") ^ bye,
    "8:1002a message within another one "),
   ("a length that is written too long",
    "\129\254\000\005xxxx" ^ bye,
    "8:1002a length that is written too long "),
   ("an enormous length",
    "\129\255\127\255\255\255\255\255\255\255",
    "8:1009a message that is too long "),
   ("a large length",
    "\129\255\000\000\000\255\255\255\255\255",
    "8:1009a message that is too long "),
   ("an end without a number", masked (closing, ""), "8:1000 "),
   ("with half of one", masked (closing, "\003"), "8:1002a number of an end that is none "),
   ("with a number that is none",
    masked (closing, "\003\237"),
    "8:1002a number of an end that is none "),
   ("with one of its own", masked (closing, "\015\160"), "8:4000 "),
   ("with a reason that is no text",
    masked (closing, "\003\232\255"),
    "8:1007a reason that is not UTF-8 "),
   ("nothing behind the end", bye ^ masked (text, "x"), "8:1000 "),
   ("the server ends", masked (text, "end") ^ masked (text, "x"), "8:1000as you like "),
   ("the function returns", masked (text, "leave"), "8:1000 "),
   ("the function fails", masked (text, "fail"), "8:1011 "),
   (* asked whether it is there, and given up *)
   ("silence", "", "9: 8:1008nothing has come for too long ")]

val () =
  Scope.run (fn scope =>
    List.app
      (fn (name, bytes, expected) =>
        ignore (Scope.fork scope (fn () =>
                  let
                    val (status, got) = exchange (hello "", bytes)
                  in
                    check (name, expected, status ^ shown got)
                  end)))
      rows)

fun without (part, text) =
  let
    val (front, rest) = Substring.position part (Substring.full text)
  in
    Substring.string front ^ Substring.string (Substring.triml (size part) rest)
  end
fun changed (part, other) =
  let
    val (front, rest) = Substring.position part (Substring.full (hello "Connection: close~"))
  in
    concat [Substring.string front, other, Substring.string (Substring.triml (size part) rest)]
  end
val () =
  List.app
    (fn (name, first, expected) => check (name, expected, #1 (exchange (first, ""))))
    [("no upgrade", changed ("Upgrade: websocket~", ""), "426"),
     ("another version", changed ("n: 13", "n: 8"), "426"),
     ("no key", changed ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==~", ""), "400"),
     ("a short key", changed ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ="), "400"),
     ("a method", changed ("GET", "PUT"), "400"),
     ("another origin", hello "Connection: close~Origin: http://evil.example.com~", "403"),
     ("an origin that begins like it",
      hello "Connection: close~Origin: http://server.example.com.evil~",
      "403"),
     ("two origins", hello "Connection: close~Origin: http://server.example.com~Origin: x~", "403")]
val () =
  check ("its own origin",
         "1:a 8:1000 ",
         let
           val (status, got) =
             exchange (hello "Origin: https://server.example.com~", masked (text, "a") ^ bye)
         in
           status ^ shown got
         end)

val () = SyncVar.iPut (stop, ())
val () = SyncVar.iGet ended
val () = print "done\n"
