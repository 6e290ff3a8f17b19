(* HTTPServer in front of clients that send bytes: what comes back on the connection until the server closes it, and
   what becomes of connections, of the handler and of the server in the end. *)

open CML

val ms = Time.fromMilliseconds
val errors = Mailbox.mailbox () : string Mailbox.mbox

fun streamed (length, pieces) =
  let
    val left = ref pieces
  in
    HTTPBody.stream {length = length,
                     close = fn () => (),
                     next = fn () =>
                       case !left of
                         [] => ""
                       | "!" :: _ => raise Fail "no more"
                       | p :: rest => (left := rest; p)}
  end
fun stream (length, pieces) =
  {status = 200, headers = HTTPHeaders.empty, body = streamed (length, pieces)}

val held = SyncVar.iVar () : unit SyncVar.ivar
val began = SyncVar.iVar () : unit SyncVar.ivar

(* what becomes of handlers and streams whose client goes away, each by a name *)
val gone = Mailbox.mailbox () : string Mailbox.mbox
fun waiting name () =
  (sync (timeOutEvt (Time.fromSeconds 60)); "")
  handle Scope.Cancelled => (Mailbox.send (gone, name); raise Scope.Cancelled)

fun handler ({path, method, body, query, headers, host, ...} : HTTP.request) =
  case path of
    ["echo"] => HTTP.text 200 (method ^ " " ^ HTTPBody.all {most = 1000000} body)
  | ["length"] => HTTP.text 200 (Int.toString (size (HTTPBody.all {most = 1000000} body)))
  | ["little"] => HTTP.text 200 (HTTPBody.all {most = 3} body)
  | ["ignore"] => HTTP.text 200 "ignored"
  | ["query"] => HTTP.text 200 (query ^ " " ^ host)
  | ["stream"] => stream (NONE, ["ab", "cde"])
  | ["length-stream"] => stream (SOME 5, ["ab", "cde"])
  | ["short"] => stream (SOME 9, ["ab", "cde"])
  | ["broken", "early"] => stream (NONE, ["!"])
  | ["broken"] => stream (NONE, ["ab", "!"])
  | ["raise"] => raise Fail "a mistake"
  | ["invalid"] =>
      {status = 200, headers = HTTPHeaders.fromList [("A", "b\r\nC: d")], body = HTTPBody.empty}
  | ["own"] =>
      {status = 200,
       body = HTTPBody.string "abc",
       headers =
         HTTPHeaders.fromList [("Content-Length", "7"),
                               ("Transfer-Encoding", "chunked"),
                               ("Connection", "close"),
                               ("A", "b")]}
  | ["none"] => {status = 204, headers = HTTPHeaders.empty, body = HTTPBody.empty}
  | ["waits"] => HTTP.text 200 (waiting "handler" ())
  | ["tells"] =>
      {status = 200,
       headers = HTTPHeaders.empty,
       body =
         HTTPBody.stream
           {length = NONE, next = waiting "stream", close = fn () => Mailbox.send (gone, "closed")}}
  | ["slow"] => (OS.Process.sleep (Time.fromSeconds 60); HTTP.text 200 "late")
  | ["hold"] => (SyncVar.iPut (began, ()); SyncVar.iGet held; HTTP.text 200 "held")
  | _ => HTTP.status 404

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun told (e, _) =
  Mailbox.send (errors,
                case e of
                  Fail s => s
                | HTTPBody.Broken s => s
                | HTTPHeaders.Invalid s => s
                | e => exnName e)
val serve =
  HTTPServer.serve
    [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
     HTTPServer.OnError told,
     HTTPServer.HandlerTime (ms 5000),
     HTTPServer.IdleTime (ms 2000),
     HTTPServer.HeaderTime (ms 2500),
     HTTPServer.BodyTime (ms 2500),
     HTTPServer.GraceTime (Time.fromSeconds 20),
     HTTPServer.MaxBody 100000,
     HTTPServer.MaxConnections 40]
    listener
val ended = SyncVar.iVar () : unit SyncVar.ivar
val _ = spawn (fn () => (serve handler; SyncVar.iPut (ended, ())))

val here = valOf (NetHostDB.fromString "127.0.0.1")
fun connect () =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
  in
    (Socket.connect (sock, INetSock.toAddr (here, port)); sock)
  end
fun send (sock, text) =
  let
    fun go slice =
      if Word8VectorSlice.isEmpty slice then ()
      else go (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
  in
    go (Word8VectorSlice.full (Byte.stringToBytes text))
  end
fun rest sock =
  let
    fun go pieces =
      case Byte.bytesToString (Socket.recvVec (sock, 65536)) of
        "" => concat (List.rev pieces)
      | piece => go (piece :: pieces)
  in
    go [] before Socket.close sock
  end
fun spelt text =
  String.translate (fn #"~" => "\r\n" | #"^" => "Host: x\r\n" | c => String.str c) text

(* Without the date, and with `~` for line ends. *)
fun shown text =
  let
    fun go s =
      let
        val (front, behind) = Substring.position "\r\n" s
        val rest = Substring.triml 2 behind
      in
        if Substring.isEmpty behind then Substring.string front
        else if Substring.isPrefix "Date: " front then go rest
        else if Substring.isPrefix "Content-Type: text/plain" front then go rest
        else Substring.string front ^ "~" ^ go rest
      end
  in
    go (Substring.full text)
  end

fun exchange text = let val sock = connect () in (send (sock, spelt text); shown (rest sock)) end

val rows =
  [("GET /echo HTTP/1.1~^Connection: close~~",
    "HTTP/1.1 200 OK~Content-Length: 4~Connection: close~~GET "),
   ("two, and one that closes",
    "HTTP/1.1 200 OK~Content-Length: 8~~POST abcHTTP/1.1 404 Not Found~Content-Length: 14~~404 Not Found\n\
    \HTTP/1.1 200 OK~Content-Length: 4~Connection: close~~GET "),
   ("POST /echo HTTP/1.1~^Transfer-Encoding: chunked~Connection: close~~3~abc~2~de~0~~",
    "HTTP/1.1 200 OK~Content-Length: 10~Connection: close~~POST abcde"),
   ("HEAD /echo HTTP/1.1~^Connection: close~~",
    "HTTP/1.1 200 OK~Content-Length: 5~Connection: close~~"),
   ("GET /query?a=b&c HTTP/1.1~Host: h:1~Connection: close~~",
    "HTTP/1.1 200 OK~Content-Length: 9~Connection: close~~a=b&c h:1"),
   ("GET /echo HTTP/1.0~~", "HTTP/1.1 200 OK~Content-Length: 4~Connection: close~~GET "),
   ("GET /echo HTTP/1.0~Connection: keep-alive~~GET /echo HTTP/1.0~~",
    "HTTP/1.1 200 OK~Content-Length: 4~Connection: keep-alive~~GET HTTP/1.1 200 OK~Content-Length: 4~Connection: close~~GET "),
   ("GET /stream HTTP/1.1~^Connection: close~~",
    "HTTP/1.1 200 OK~Transfer-Encoding: chunked~Connection: close~~2~ab~3~cde~0~~"),
   ("HEAD /stream HTTP/1.1~^Connection: close~~", "HTTP/1.1 200 OK~Connection: close~~"),
   ("GET /stream HTTP/1.0~Connection: keep-alive~~", "HTTP/1.1 200 OK~Connection: close~~abcde"),
   ("GET /length-stream HTTP/1.1~^Connection: close~~",
    "HTTP/1.1 200 OK~Content-Length: 5~Connection: close~~abcde"),
   ("GET /none HTTP/1.1~^Connection: close~~", "HTTP/1.1 204 No Content~Connection: close~~"),
   ("GET /own HTTP/1.1~^~", "HTTP/1.1 200 OK~A: b~Content-Length: 3~Connection: close~~abc"),
   (* A body that nobody reads is passed over, or the connection ends. *)
   ("POST /ignore HTTP/1.1~^Content-Length: 3~~abcGET /none HTTP/1.1~^Connection: close~~",
    "HTTP/1.1 200 OK~Content-Length: 7~~ignoredHTTP/1.1 204 No Content~Connection: close~~"),
   ("POST /ignore HTTP/1.1~^Content-Length: 90000~~",
    "HTTP/1.1 200 OK~Content-Length: 7~Connection: close~~ignored"),
   (* The client is told to send its body when it is wanted. *)
   ("POST /echo HTTP/1.1~^Connection: close~Expect: 100-continue~Content-Length: 2~~ab",
    "HTTP/1.1 100 Continue~~HTTP/1.1 200 OK~Content-Length: 7~Connection: close~~POST ab"),
   ("POST /ignore HTTP/1.1~^Expect: 100-continue~Content-Length: 2~~",
    "HTTP/1.1 200 OK~Content-Length: 7~Connection: close~~ignored"),
   ("POST /echo HTTP/1.1~^Expect: more~Content-Length: 2~~",
    "HTTP/1.1 417 Expectation Failed~Content-Length: 69~Connection: close~~417 Expectation Failed: something else than 100-continue is expected\n"),
   (* What is wrong ends the connection, with a reason. *)
   ("POST /echo HTTP/1.1~^Content-Length: 100001~~",
    "HTTP/1.1 413 Content Too Large~Content-Length: 47~Connection: close~~413 Content Too Large: a body that is too long\n"),
   ("POST /echo HTTP/1.1~^Transfer-Encoding: chunked~~fffff~",
    "HTTP/1.1 413 Content Too Large~Content-Length: 47~Connection: close~~413 Content Too Large: a body that is too long\n"),
   ("POST /little HTTP/1.1~^Content-Length: 4~~abcd",
    "HTTP/1.1 413 Content Too Large~Content-Length: 47~Connection: close~~413 Content Too Large: a body that is too long\n"),
   ("POST /little HTTP/1.1~^Transfer-Encoding: chunked~~4~abcd~0~~",
    "HTTP/1.1 413 Content Too Large~Content-Length: 47~Connection: close~~413 Content Too Large: a body that is too long\n"),
   ("POST /echo HTTP/1.1~^Transfer-Encoding: chunked~~x~",
    "HTTP/1.1 400 Bad Request~Content-Length: 42~Connection: close~~400 Bad Request: the beginning of a chunk\n"),
   ("GET / HTTP/1.1~Host : x~~",
    "HTTP/1.1 400 Bad Request~Content-Length: 48~Connection: close~~400 Bad Request: a line of a header is no field\n"),
   ("GET /%4 HTTP/1.1~^~",
    "HTTP/1.1 400 Bad Request~Content-Length: 54~Connection: close~~400 Bad Request: a `%` without two hexadecimal digits\n"),
   (* Slow ones. *)
   ("", ""),
   ("~~", ""),
   ("GET / HTTP/1.1~",
    "HTTP/1.1 408 Request Timeout~Content-Length: 54~Connection: close~~408 Request Timeout: the request did not come in time\n"),
   ("POST /echo HTTP/1.1~^Content-Length: 3~~a",
    "HTTP/1.1 408 Request Timeout~Content-Length: 51~Connection: close~~408 Request Timeout: the body did not come in time\n"),
   ("GET /slow HTTP/1.1~^Connection: close~~",
    "HTTP/1.1 503 Service Unavailable~Content-Length: 24~Connection: close~~503 Service Unavailable\n")]

fun sentFor "two, and one that closes" =
      "POST /echo HTTP/1.1~^Content-Length: 3~~abcGET /nothing HTTP/1.1~^~GET /echo HTTP/1.1~^Connection: close~~"
  | sentFor text = text

(* Mistakes of the handler: what the client gets, and what the server is told. *)
val mistakes =
  [("raise",
    "HTTP/1.1 500 Internal Server Error~Content-Length: 26~Connection: close~~500 Internal Server Error\n",
    "a mistake"),
   ("invalid",
    "HTTP/1.1 500 Internal Server Error~Content-Length: 26~Connection: close~~500 Internal Server Error\n",
    "the value of A: b\\r\\nC: d"),
   ("broken/early",
    "HTTP/1.1 500 Internal Server Error~Content-Length: 26~Connection: close~~500 Internal Server Error\n",
    "no more"),
   ("broken", "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~2~ab~", "no more"),
   ("short", "HTTP/1.1 200 OK~Content-Length: 9~~abcde", "a body's length is not what was said")]

fun check (name, expected, got) =
  if got = expected then ()
  else
    print (concat [name,
                   "\n  gave     ",
                   String.toString got,
                   "\n  and not  ",
                   String.toString expected,
                   "\n"])

fun client () =
  let
    (* All at once. *)
    val () =
      Scope.run (fn scope =>
        List.app
          (fn (text, expected) =>
            ignore (Scope.fork scope (fn () => check (text, expected, exchange (sentFor text)))))
          rows)
    val () =
      List.app
        (fn (path, expected, said) =>
          (check (path, expected, exchange ("GET /" ^ path ^ " HTTP/1.1~^~"));
           check (path, said, Mailbox.recv errors)))
        mistakes

    (* More connections than there may be: all are served. *)
    val many =
      List.tabulate (100,
                     fn _ =>
                       let
                         val sock = connect ()
                       in
                         (send (sock, spelt "GET /none HTTP/1.1~^~"); sock)
                       end)
    val () =
      List.app (fn sock => check ("many", "HTTP/1.1 204 No Content~~", shown (rest sock))) many

    (* A body larger than a buffer, in both directions. *)
    val large = CharVector.tabulate (100000, fn i => Char.chr (97 + i mod 26))
    val sock = connect ()
    val () = send (sock, spelt "POST /length HTTP/1.1~^Connection: close~Content-Length: 100000~~")
    val () = send (sock, large)
    val () =
      check
        ("large", "HTTP/1.1 200 OK~Content-Length: 6~Connection: close~~100000", shown (rest sock))

    (* A client that goes away ends its handler, and its stream; one that only waits does not. *)
    val goers =
      List.map
        (fn path =>
          let
            val sock = connect ()
          in
            (send (sock, spelt ("GET /" ^ path ^ " HTTP/1.1~^~")); sock)
          end)
        ["waits", "tells"]
    val () = sync (timeOutEvt (ms 700))
    val () = check ("stayed", "none", Option.getOpt (Mailbox.recvPoll gone, "none"))
    val () = List.app Socket.close goers
    fun sorted names = String.concatWith " " (ListMergeSort.sort String.> names)
    val () =
      check ("gone", "closed handler stream", sorted (List.tabulate (3, fn _ => Mailbox.recv gone)))

    (* But with FinishAnyway they go on. *)
    val ended' = Mailbox.mailbox () : string Mailbox.mbox
    val () =
      Scope.run (fn scope =>
        let
          val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
          val place = INetSock.toAddr (here, HTTPServer.port listener)
          val stop = SyncVar.iVar ()
          fun handler _ =
            (SyncVar.iPut (stop, ());
             sync (timeOutEvt (ms 700));
             Mailbox.send (ended', "finished");
             HTTP.status 204)
            handle e => (Mailbox.send (ended', exnName e); raise e)
          val serve =
            HTTPServer.serve [HTTPServer.FinishAnyway, HTTPServer.StopWhen (SyncVar.iGetEvt stop)]
          val _ = Scope.fork scope (fn () => serve listener handler)
          val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
        in
          Socket.connect (sock, place);
          send (sock, spelt "GET / HTTP/1.1~^~");
          Socket.close sock
        end)
    val () = check ("anyway", "finished", Mailbox.recv ended')

    (* The end: who is idle is let go, who has asked is answered, and nobody else is let in. *)
    val idle = connect ()
    val holder = connect ()
    val () = send (holder, spelt "GET /hold HTTP/1.1~^~")
    val () = SyncVar.iGet began
    val () = SyncVar.iPut (stop, ())
    fun late 0 = "taken"
      | late n =
          (Socket.close (connect ()); sync (timeOutEvt (ms 20)); late (n - 1))
          handle OS.SysErr _ => "refused"
    val () = check ("a late one", "refused", late 500)
    val () = SyncVar.iPut (held, ())
    val () =
      check
        ("held", "HTTP/1.1 200 OK~Content-Length: 4~Connection: close~~held", shown (rest holder))
    val () = check ("idle", "", shown (rest idle))
    val () = SyncVar.iGet ended
    val () = check ("errors", "none", case Mailbox.recvPoll errors of NONE => "none" | SOME s => s)
  in
    print "done\n"
  end

val () = client ()
