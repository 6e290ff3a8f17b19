(* What RFC 9112 and RFC 9110 ask of a server and of a client, and what this library does, as a table: the page
   docs/reference/http-rules.md has it. A row has the section, what is asked for, what is sent (`~` is a line end, `^` a line
   `Host: x`), and, printed, what came back: of a server the answers' statuses and bodies, `+` if the connection stays open. *)

fun spelt text =
  String.translate (fn #"~" => "\r\n" | #"^" => "Host: x\r\n" | c => String.str c) text

fun stream pieces =
  let
    val left = ref pieces
    fun next () = case !left of [] => "" | p :: rest => (left := rest; p)
  in
    HTTPBody.stream {length = NONE, next = next, close = fn () => ()}
  end

fun handler ({method, path, host, headers, body, ...} : HTTP.request) =
  let
    fun with' body = {status = 200, headers = HTTPHeaders.empty, body = body} : HTTP.response
  in
    case path of
      ["stream"] => with' (stream ["ab", "c"])
    | ["host"] => HTTP.text 200 host
    | ["a"] => HTTP.text 200 (String.concatWith ", " (HTTPHeaders.all headers "a"))
    | ["method"] => HTTP.text 200 method
    | ["none"] =>
        {status = 204,
         headers = HTTPHeaders.fromList [("Content-Length", "3")],
         body = HTTPBody.string "abc"}
    | ["same"] => {status = 304, headers = HTTPHeaders.empty, body = HTTPBody.string "abc"}
    | ["only"] =>
        HTTPRouter.router [HTTPRouter.on "GET" "/only" (fn _ => HTTP.text 200 "got")] {method =
                                                                                method,
                                                                                target = "/only",
                                                                                path = path,
                                                                                query = "",
                                                                                host = host,
                                                                                minor = 1,
                                                                                headers = headers,
                                                                                body = body,
                                                                                peer = "",
                                                                                secure = NONE}
    | _ => HTTP.text 200 (HTTPBody.all {most = 1000} body)
  end

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val place = INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), HTTPServer.port listener)

(* All that comes back, and whether the server has closed the connection by itself: three seconds after the last answer,
   it is open. *)
fun exchange text =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    val () = Socket.connect (sock, place)
    fun send slice =
      if Word8VectorSlice.isEmpty slice then ()
      else send (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
    val () = send (Word8VectorSlice.full (Byte.stringToBytes text)) handle OS.SysErr _ => ()
    (* for the first piece as long as it takes on a busy machine *)
    fun rest pieces =
      case CML.select [CML.wrap (Socket.recvVecEvt (sock, 65536), SOME),
                       CML.wrap (CML.timeOutEvt (Time.fromMilliseconds
                                                   (if List.null pieces then 20000 else 3000)),
                                 fn () => NONE)] of
        NONE => (pieces, true)
      | SOME bytes =>
          if Word8Vector.length bytes = 0 then (pieces, false)
          else rest (Byte.bytesToString bytes :: pieces)
    val (pieces, isOpen) = rest [] handle OS.SysErr _ => ([], false)
  in
    Socket.close sock;
    (concat (List.rev pieces), isOpen)
  end

(* The answers in a text: of each its status and body, and the fields that matter. *)
fun answers (method, text) =
  let
    val source = HTTPMessage.ofString text
    fun one () =
      let
        val {status, headers, body} =
          HTTPMessage.readResponse HTTPMessage.limits {method = method} source
        val text = HTTPBody.all {most = 100000} body handle HTTPBody.Broken why => "broken: " ^ why
        fun has name = Option.map (fn v => name ^ ": " ^ v) (HTTPHeaders.get headers name)
        val fields =
          List.mapPartial has (["Allow"]
                               @ (if method = "HEAD" orelse status = 204 orelse status = 304 then
                                    ["Content-Length"]
                                  else [])
                               @ (if text = "abc" orelse method = "HEAD" then ["Transfer-Encoding"]
                                  else []))
      in
        String.concatWith " " (Int.toString status
                               :: (if status < 400 andalso text <> "" then ["`" ^ text ^ "`"]
                                   else [])
                               @ (if List.null fields then []
                                  else ["(" ^ String.concatWith ", " fields ^ ")"]))
      end
    fun all () = one () :: all () handle HTTPMessage.Closed => []
  in
    all ()
  end

(* Some requests begin with another answer, `100 Continue`, which the reader passes over. *)
fun isContinued text = String.isPrefix "HTTP/1.1 100 " text

fun server (section, what, sent) =
  let
    val method = Substring.string (Substring.takel Char.isAlpha (Substring.full sent))
    fun show () =
      let
        val (text, isOpen) = exchange (spelt sent)
      in
        concat [if isContinued text then "100, " else "",
                String.concatWith ", " (answers (if method = "HEAD" then "HEAD" else "GET", text)),
                if isOpen then " +" else ""]
      end
  in
    fn () => concat ["| ", section, " | ", what, " | ", show (), " |\n"]
  end

(* What a client makes of an answer. *)
fun client (section, what, method, text) () =
  let
    val shown =
      let
        val {status, body, ...} =
          HTTPMessage.readResponse
            HTTPMessage.limits
            {method = method}
            (HTTPMessage.ofString (spelt text))
      in
        concat [Int.toString status, " `", HTTPBody.all {most = 1000} body, "`"]
      end
      handle HTTPMessage.Bad (_, why) => "refused: " ^ why
           | HTTPMessage.Closed => "refused: it ends in its header"
           | HTTPBody.Broken why => "refused: " ^ why
  in
    concat ["| ", section, " | ", what, " | ", shown, " |\n"]
  end

fun long n = CharVector.tabulate (n, fn _ => #"x")
fun fields n = concat (List.tabulate (n, fn i => "A" ^ Int.toString i ^ ": b~"))
val next = "GET /method HTTP/1.1~^~"
val zeros = CharVector.tabulate (40, fn _ => #"0")

val servers =
  [("9112 2.2", "empty lines before a request are passed over", "~~GET /method HTTP/1.1~^~"),
   ("9112 2.2",
    "a blank between the first line and the fields is refused",
    "GET / HTTP/1.1~ Host: x~~"),
   ("9112 2.2", "a CR alone is refused", "GET / HTTP/1.1\rHost: x~~"),
   ("9112 2.2",
    "an LF alone may be taken for a line end; here it is refused",
    "GET / HTTP/1.1\nHost: x\n\n"),
   ("9112 2.3", "a higher minor version is served as 1.1", "GET /method HTTP/1.9~^~"),
   ("9112 2.3", "another major version is refused", "GET / HTTP/2.0~^~"),
   ("9112 2.3", "the version's letters are capitals", "GET / http/1.1~^~"),
   ("9112 3", "two blanks in the first line are refused", "GET  / HTTP/1.1~^~"),
   ("9112 3", "a target with a blank is refused", "GET /a b HTTP/1.1~^~"),
   ("9112 3", "a first line without a version is refused", "GET /~^~"),
   ("9112 3", "a target of 8,000 bytes is taken", "GET /" ^ long 8000 ^ " HTTP/1.1~^~"),
   ("9112 3", "a target that is too long gets 414", "GET /" ^ long 17000 ^ " HTTP/1.1~^~"),
   ("9110 9.1", "a method is a word", "G(T / HTTP/1.1~^~"),
   ("9110 9.1", "upper and lower case of methods differ", "get /method HTTP/1.1~^~"),
   ("9112 3.2", "HTTP/1.1 without Host is refused", "GET / HTTP/1.1~~"),
   ("9112 3.2", "HTTP/1.0 without Host is taken", "GET /method HTTP/1.0~~"),
   ("9112 3.2", "two Hosts are refused", "GET / HTTP/1.1~^^~"),
   ("9112 3.2", "a malformed Host is refused", "GET / HTTP/1.1~Host: a/b~~"),
   ("9112 3.2", "a Host with two colons is refused", "GET / HTTP/1.1~Host: a:1:2~~"),
   ("9112 3.2", "a port has digits", "GET / HTTP/1.1~Host: a:b~~"),
   ("9112 3.2", "the port may be empty", "GET /host HTTP/1.1~Host: a:~~"),
   ("9112 3.2", "the Host may be empty", "GET /method HTTP/1.1~Host:~~"),
   ("3986 3.2.2", "an address of IPv6 stands in brackets", "GET /host HTTP/1.1~Host: [::1]:80~~"),
   ("3986 3.2.2", "brackets end", "GET / HTTP/1.1~Host: [::1~~"),
   ("3986 3.2.2", "there is an address in them", "GET / HTTP/1.1~Host: []~~"),
   ("3986 3.2.2", "and behind them a port or nothing", "GET / HTTP/1.1~Host: [::1]80~~"),
   ("3986 2.1", "a `%` stands before two hexadecimal digits", "GET / HTTP/1.1~Host: %zz~~"),
   ("9112 3.2.2",
    "of a whole address the host counts, not the field",
    "GET http://y:1/host HTTP/1.1~^~"),
   ("9112 3.2.2", "the host of a whole address is one, too", "GET http://y:1:2/ HTTP/1.1~^~"),
   ("9112 3.2.3", "CONNECT has a host and a port", "CONNECT x:1 HTTP/1.1~^~"),
   ("9112 3.2.3", "CONNECT with a path is refused", "CONNECT /a HTTP/1.1~^~"),
   ("9110 9.3.6", "CONNECT with a port that is none is refused", "CONNECT x:65536 HTTP/1.1~^~"),
   ("9112 3.2.4", "`*` is a target of OPTIONS", "OPTIONS * HTTP/1.1~^~"),
   ("9112 3.2.4", "`*` with another method is refused", "GET * HTTP/1.1~^~"),
   ("9112 3.2", "a fragment is no part of a target", "GET /a#b HTTP/1.1~^~"),
   ("9110 5.1", "upper and lower case of field names are the same", "GET /host HTTP/1.1~hOsT: y~~"),
   ("9112 5.1", "a blank before the colon is refused", "GET / HTTP/1.1~Host : x~~"),
   ("9112 5.1", "blanks around a value are no part of it", "GET /a HTTP/1.1~^A: \t b c \t~~"),
   ("9112 5.2", "a folded line is refused", "GET / HTTP/1.1~^A: b~ c~~"),
   ("9110 5.6.2", "a name is a word", "GET / HTTP/1.1~^A b: c~~"),
   ("9110 5.6.2", "an empty name is refused", "GET / HTTP/1.1~^: c~~"),
   ("9110 5.5", "NUL in a value is refused", "GET / HTTP/1.1~^A: b\000c~~"),
   ("9110 5.5", "other control characters are, too", "GET / HTTP/1.1~^A: b\127c~~"),
   ("9110 5.5", "bytes above 127 are taken", "GET /method HTTP/1.1~^A: \195\164~~"),
   ("9110 5.3", "fields of one name keep their order", "GET /a HTTP/1.1~^A: 1~B: x~a: 2~~"),
   ("9110 5.4", "too many fields get 431", "GET / HTTP/1.1~^" ^ fields 101 ^ "~"),
   ("9110 5.4", "fields that are too long get 431", "GET / HTTP/1.1~^A: " ^ long 17000 ^ "~~"),
   ("9112 6.3", "a request without a length has no body", "POST / HTTP/1.1~^~" ^ next),
   ("9112 6.3",
    "a body has the length that is said",
    "POST / HTTP/1.1~^Content-Length: 3~~abc" ^ next),
   ("9112 6.1",
    "a length and chunks are refused",
    "POST / HTTP/1.1~^Content-Length: 3~Transfer-Encoding: chunked~~0~~"),
   ("9112 6.1",
    "chunks in HTTP/1.0 are refused",
    "POST / HTTP/1.0~Transfer-Encoding: chunked~~0~~"),
   ("9112 6.1",
    "another coding gets 501",
    "POST / HTTP/1.1~^Transfer-Encoding: gzip, chunked~~0~~"),
   ("9112 6.1",
    "chunks are the last coding",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked, gzip~~0~~"),
   ("9112 6.1",
    "chunks twice are refused",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked, chunked~~0~~"),
   ("9112 6.1",
    "the coding's name has no case",
    "POST / HTTP/1.1~^Transfer-Encoding: Chunked~~3~abc~0~~"),
   ("9112 6.3", "a length with a sign is refused", "POST / HTTP/1.1~^Content-Length: +3~~abc"),
   ("9112 6.3", "a length below 0 is refused", "POST / HTTP/1.1~^Content-Length: -3~~abc"),
   ("9112 6.3",
    "a length that is no number is refused",
    "POST / HTTP/1.1~^Content-Length: 0x3~~abc"),
   ("9112 6.3", "an empty length is refused", "POST / HTTP/1.1~^Content-Length: ~~abc"),
   ("9112 6.3",
    "two lengths are refused",
    "POST / HTTP/1.1~^Content-Length: 3~Content-Length: 4~~abcd"),
   ("9112 6.3",
    "two that are the same may be taken; here they are refused",
    "POST / HTTP/1.1~^Content-Length: 3~Content-Length: 3~~abc"),
   ("9112 6.3", "a list of lengths is refused", "POST / HTTP/1.1~^Content-Length: 3, 3~~abc"),
   ("9110 8.6",
    "a length beyond all numbers is refused",
    "POST / HTTP/1.1~^Content-Length: 99999999999999999999~~abc"),
   ("9110 8.6",
    "zeros in front of a length are passed over",
    "POST / HTTP/1.1~^Content-Length: " ^ zeros ^ "3~~abc"),
   ("9112 7.1",
    "chunks are joined",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3~abc~A~0123456789~0~~" ^ next),
   ("9112 7.1",
    "sizes have no case, and may begin with 0",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~00a~0123456789~0~~"),
   ("9112 7.1",
    "as many as there are",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~" ^ zeros ^ "a~0123456789~0~~"),
   ("9112 7.1.1",
    "extensions are passed over",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3;a=\"b;c\"~abc~0;d~~"),
   ("9112 7.1.2",
    "trailers are read, and are no fields of the header",
    "POST /a HTTP/1.1~^Transfer-Encoding: chunked~~0~A: b~Content-Length: 7~~" ^ next),
   ("9112 7.1",
    "a blank behind a size is refused",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3 ~abc~0~~"),
   ("9112 7.1.1",
    "unless an extension follows",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3 ;a=b~abc~0~~"),
   ("9112 7.1",
    "a size that is no number is refused",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0x3~abc~0~~"),
   ("9112 7.1",
    "a size below 0 is refused",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~-3~abc~0~~"),
   ("9112 7.1",
    "a size beyond all numbers is refused",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~fffffffffffffffff~abc~0~~"),
   ("9112 7.1",
    "a chunk ends with a line end",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3~abcd~0~~"),
   ("9112 7.1",
    "an LF alone ends no chunk",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3\nabc\n0\n\n"),
   ("9112 7.1", "HTTP/1.1 gets chunks where the length is not known", "GET /stream HTTP/1.1~^~"),
   ("9112 7.1", "HTTP/1.0 does not", "GET /stream HTTP/1.0~Connection: keep-alive~~"),
   ("9112 9.3", "a connection is kept", "GET /method HTTP/1.1~^~" ^ next),
   ("9112 9.3",
    "unless the client wants it closed",
    "GET /method HTTP/1.1~^Connection: close~~" ^ next),
   ("9112 9.3",
    "`close` counts beside other words",
    "GET /method HTTP/1.1~^Connection: keep-alive, Close~~" ^ next),
   ("9112 9.3", "HTTP/1.0 is closed", "GET /method HTTP/1.0~~" ^ next),
   ("9112 9.3",
    "HTTP/1.0 with `keep-alive` is kept",
    "GET /method HTTP/1.0~Connection: Keep-Alive~~" ^ next),
   ("9112 9.3.2",
    "requests that come at once are answered in their order",
    "GET /host HTTP/1.1~Host: a~~GET /host HTTP/1.1~Host: b~~"),
   ("9112 9.6", "after an error the connection is closed", "GET / HTTP/1.1~~" ^ next),
   ("9110 9.3.2", "HEAD has the fields of GET, and no body", "HEAD /method HTTP/1.1~^~"),
   ("9110 15.3.5", "204 has no body and no length", "GET /none HTTP/1.1~^~"),
   ("9110 15.4.5", "304 has no body", "GET /same HTTP/1.1~^~" ^ next),
   ("9110 15.5.6", "405 says which methods there are", "PUT /only HTTP/1.1~^~"),
   ("9110 10.1.1",
    "a client that sends `Expect: 100-continue` gets 100",
    "POST / HTTP/1.1~^Expect: 100-continue~Content-Length: 3~~abc"),
   ("9110 10.1.1",
    "but not HTTP/1.0",
    "POST / HTTP/1.0~Expect: 100-continue~Content-Length: 3~~abc"),
   ("9110 10.1.1", "what else is expected gets 417", "GET / HTTP/1.1~^Expect: tea~~"),
   ("9110 7.8",
    "an Upgrade to what is not known is passed over",
    "GET /method HTTP/1.1~^Upgrade: tea~Connection: upgrade~~")]

val ok = "HTTP/1.1 200 OK~"
val clients =
  [("9112 4", "a status line may have no reason", "GET", "HTTP/1.1 204~~"),
   ("9112 4", "an empty one, too", "GET", "HTTP/1.1 204 ~~"),
   ("9112 4", "a control character in a reason is refused", "GET", "HTTP/1.1 200 \000~Content-Length: 0~~"),
   ("9112 4", "a status has three digits", "GET", "HTTP/1.1 20 OK~~"),
   ("9112 4", "a status below 100 is refused", "GET", "HTTP/1.1 099 OK~~"),
   ("9112 2.3", "another major version is refused", "GET", "HTTP/2.0 200 OK~~"),
   ("9110 15.2",
    "interim answers are passed over",
    "GET",
    "HTTP/1.1 100 Continue~~HTTP/1.1 103 Early Hints~A: b~~HTTP/1.1 204 No Content~~"),
   ("9112 6.3", "HEAD has no body", "HEAD", ok ^ "Content-Length: 3~~"),
   ("9112 6.3", "204 has none", "GET", "HTTP/1.1 204 No Content~Content-Length: 3~~abc"),
   ("9112 6.3", "304 has none", "GET", "HTTP/1.1 304 Not Modified~Content-Length: 3~~abc"),
   ("9112 6.3",
    "a length and chunks are refused",
    "GET",
    ok ^ "Content-Length: 3~Transfer-Encoding: chunked~~0~~"),
   ("9112 6.3",
    "lengths that differ are refused",
    "GET",
    ok ^ "Content-Length: 3~Content-Length: 4~~abcd"),
   ("9112 6.3",
    "lengths that are the same are one",
    "GET",
    ok ^ "Content-Length: 3~Content-Length: 3~~abc"),
   ("9112 6.3", "without a length the body goes on to the end", "GET", ok ^ "~abc"),
   ("9112 8", "a body that ends too early is an error", "GET", ok ^ "Content-Length: 9~~abc"),
   ("9112 8",
    "chunks without the last one are, too",
    "GET",
    ok ^ "Transfer-Encoding: chunked~~3~abc~"),
   ("9112 8", "a header that ends too early is, too", "GET", ok ^ "Content-Le"),
   ("9112 6.1",
    "chunks in HTTP/1.0 are refused",
    "GET",
    "HTTP/1.0 200 OK~Transfer-Encoding: chunked~~0~~"),
   ("9112 6.1", "another coding is refused", "GET", ok ^ "Transfer-Encoding: gzip, chunked~~0~~"),
   ("9112 5.1", "a blank before the colon is refused", "GET", ok ^ "A : b~~"),
   ("9112 5.2", "a folded line is refused", "GET", ok ^ "A: b~ c~~"),
   ("9112 2.2", "an LF alone is refused", "GET", "HTTP/1.1 200 OK\n\n"),
   ("9112 7.1",
    "chunks are joined",
    "GET",
    ok ^ "Transfer-Encoding: chunked~~2;x=y~ab~1~c~0~T: u~~"),
   ("9112 7.1",
    "a chunk that is longer than it says is refused",
    "GET",
    ok ^ "Transfer-Encoding: chunked~~2~abc~0~~")]

val stop = SyncVar.iVar () : unit SyncVar.ivar
fun serve () =
  HTTPServer.serve
    [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
     HTTPServer.LingerTime (Time.fromMilliseconds 200),
     HTTPServer.GraceTime Time.zeroTime]
    listener
    handler

(* All at a time, since each waits. *)
fun rows makes =
  Scope.run (fn scope => List.map CML.sync (List.map (fn make => Scope.fork scope make) makes))
val () =
  Scope.run (fn scope =>
    (ignore (Scope.fork scope serve);
     print "| section | a server | what it answers |\n|---|---|---|\n";
     List.app print (rows (List.map server servers));
     print "\n| section | a client | what it makes of it |\n|---|---|---|\n";
     List.app print (rows (List.map client clients));
     SyncVar.iPut (stop, ())))
