(* The ways between a client and a server: requests that are changed on their way to a handler, addresses of IPv6, proxies,
   and WebSockets from the client's side. *)

open CML

val ms = Time.fromMilliseconds
fun check (name, expected, got) =
  if got = expected then ()
  else
    print (concat [name, ": ", String.toString got, ", and not ", String.toString expected, "\n"])

(* -- requests with something else in them *)

fun request text = valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text))
fun shown ({method, target, path, query, host, headers, body, ...} : HTTP.request) =
  String.concatWith " " [method,
                         target,
                         String.concatWith "|" path,
                         query,
                         host,
                         Option.getOpt (HTTPHeaders.get headers "a", "-"),
                         HTTPBody.all {most = 100} body]

val () =
  let
    fun new () =
      request "PUT /a/b?c=d HTTP/1.1\r\nHost: x:1\r\nA: e\r\nContent-Length: 3\r\n\r\nabc"
  in
    check ("as it is", "PUT /a/b?c=d a|b c=d x:1 e abc", shown (new ()));
    check ("withBody",
           "PUT /a/b?c=d a|b c=d x:1 e other",
           shown (HTTP.withBody (HTTPBody.string "other") (new ())));
    check ("withPath", "PUT /a/b?c=d z c=d x:1 e abc", shown (HTTP.withPath ["z"] (new ())));
    check ("withHeaders",
           "PUT /a/b?c=d a|b c=d x:1 f abc",
           shown (HTTP.withHeaders (HTTPHeaders.fromList [("A", "f")]) (new ())))
  end

(* -- a server, which echoes by WebSocket, too *)

fun echo socket =
  case WebSocket.receive socket of
    SOME (WebSocket.TEXT "leave") => WebSocket.close (socket, 1000, "")
  | SOME message => (WebSocket.send (socket, message); echo socket)
  | NONE => ()

fun handler (request as {path, target, host, ...} : HTTP.request) =
  case path of
    ["echo"] => WebSocket.handler [] echo request
  | _ => HTTP.text 200 (target ^ " of " ^ host)

(* Calls a function with the port of a server, which is stopped then; `how` is one for a kind of addresses. *)
fun within how f =
  let
    val stop = SyncVar.iVar ()
    val port = SyncVar.iVar ()
  in
    Scope.run (fn scope =>
      let
        val over =
          Scope.fork scope (fn () => how (port, [HTTPServer.StopWhen (SyncVar.iGetEvt stop)]))
      in
        f (SyncVar.iGet port, fn () => (SyncVar.iPut (stop, ()); sync over));
        SyncVar.iPut (stop, ()) handle SyncVar.Put => ()
      end)
  end
fun four (port, settings) =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
  in
    SyncVar.iPut (port, HTTPServer.port listener);
    HTTPServer.serve settings listener handler
  end

fun get client url =
  HTTPBody.all {most = 1000} (#body (HTTPClient.get client url))
  handle HTTPClient.Failed {doing, cause, ...} => concat [doing, ": ", exnMessage cause]
       | HTTPClient.Address why => "address: " ^ why
fun url (scheme, host, port, rest) = concat [scheme, "://", host, ":", Int.toString port, rest]

(* -- IPv6, where the host has it *)

val one = valOf (Net6HostDB.fromString "::1")
fun six (port, settings) =
  let
    val sock = INet6Sock.TCP.socket ()
    val () = Socket.bind (sock, INet6Sock.toAddr (one, 0))
    val () = Socket.listen (sock, 16)
  in
    SyncVar.iPut (port, #2 (INet6Sock.fromAddr (Socket.Ctl.getSockName sock)));
    HTTPServer.serveOn
      {name = fn address => Net6HostDB.toString (#1 (INet6Sock.fromAddr address)),
       prepare = fn sock => INet6Sock.TCP.setNODELAY (sock, true)}
      settings
      sock
      handler
  end
val hasSix =
  let
    val sock = INet6Sock.TCP.socket () : Socket.passive INet6Sock.stream_sock
  in
    (Socket.bind (sock, INet6Sock.toAddr (one, 0)); true) before Socket.close sock
  end
  handle OS.SysErr _ => false
val () =
  if hasSix then
    within six (fn (port, _) =>
      let
        val client = HTTPClient.client []
      in
        check ("IPv6",
               "/a?b of [::1]:" ^ Int.toString port,
               get client (url ("http", "[::1]", port, "/a?b")));
        HTTPClient.close client
      end)
  else ()
val () =
  let
    val client = HTTPClient.client []
  in
    List.app
      (fn address =>
        check (address, "address: a host that is none: " ^ address, get client address))
      (* What stood behind the brackets was taken for a port, whatever its first character was. *)
      ["http://[::1/", "http://[]/", "http://[1.2.3.4]/", "http://[::g]:1/", "http:///",
       "http://[::1]x80/", "http://[::1]x/", "http://[::1]]:1/", "http://a%zz/"];
    (* what begins like an address is none: the name is looked up *)
    check ("127.0.0.1.invalid",
           "connecting to 127.0.0.1.invalid:80: SysErr: no such host: 127.0.0.1.invalid",
           get client "http://127.0.0.1.invalid/");
    check ("a port behind brackets",
           "address: a port that is none: http://[::1]:x/",
           get client "http://[::1]:x/")
  end

(* -- proxies *)

fun sendAll (sock, text) =
  let
    fun go slice =
      if Word8VectorSlice.isEmpty slice then ()
      else go (Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
  in
    go (Word8VectorSlice.full (Byte.stringToBytes text))
  end
fun text bytes = Byte.bytesToString bytes

(* A proxy that answers requests itself, with what it was asked, and lets CONNECT through to a port of this host. What it
   was asked is told. *)
val asked = Mailbox.mailbox () : string Mailbox.mbox
fun proxy listener =
  let
    val here = valOf (NetHostDB.fromString "127.0.0.1")
    fun pump (from, to) =
      case text (Socket.recvVec (from, 4096)) of
        "" => (Socket.shutdown (to, Socket.NO_SENDS) handle OS.SysErr _ => ())
      | piece => (sendAll (to, piece); pump (from, to))
    fun answer sock =
      let
        fun head sofar =
          if String.isSuffix "\r\n\r\n" sofar then sofar
          else
            case text (Socket.recvVec (sock, 4096)) of "" => sofar | piece => head (sofar ^ piece)
        val lines = String.tokens (fn c => c = #"\r" orelse c = #"\n") (head "")
        val first = hd (lines @ [""])
        val who = List.filter (String.isPrefix "Proxy-Authorization") lines
      in
        Mailbox.send (asked, String.concatWith " / " (first :: who));
        case String.tokens (fn c => c = #" " orelse c = #":") first of
          ["CONNECT", "refused.example", _, _] =>
            sendAll
              (sock, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        | ["CONNECT", "talkative.example", _, _] =>
            sendAll (sock, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\njunk")
        | ["CONNECT", _, port, _] =>
            let
              val other = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
            in
              Socket.connect (other, INetSock.toAddr (here, valOf (Int.fromString port)));
              sendAll (sock, "HTTP/1.1 200 OK\r\n\r\n");
              Scope.run (fn scope =>
                (ignore (Scope.fork scope (fn () => pump (sock, other))); pump (other, sock)));
              Socket.close other
            end
        | _ => sendAll (sock, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
      end
    fun loop scope =
      let
        val (sock, _) = Socket.accept listener
      in
        ignore (Scope.fork scope (fn () =>
                  Scope.finally
                    (fn () => answer sock handle OS.SysErr _ => (), fn () => Socket.close sock)));
        loop scope
      end
  in
    Scope.run loop
  end

fun talk client settings address =
  WebSocket.connect client settings {url = address, headers = HTTPHeaders.empty} (fn socket =>
    let
      fun exchange message = (WebSocket.send (socket, message); WebSocket.receive socket)
      val long = CharVector.tabulate (70000, fn i => Char.chr (i mod 256))
    in
      check ("a text",
             "hello",
             case exchange (WebSocket.TEXT "hello") of SOME (WebSocket.TEXT t) => t | _ => "-");
      check ("bytes",
             long,
             case exchange (WebSocket.BINARY long) of SOME (WebSocket.BINARY t) => t | _ => "-");
      WebSocket.send (socket, WebSocket.TEXT "leave");
      check
        ("left", "left", case WebSocket.receive socket of NONE => "left" | SOME _ => "a message")
    end)
  handle HTTPClient.Failed {doing, cause, ...} =>
      check (address, "connected", concat [doing, ": ", exnMessage cause])

val () =
  within four (fn (port, stop) =>
    let
      val listener = INetSock.TCP.socket ()
      val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
      val () = Socket.listen (listener, 16)
      val there = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))
      fun by user =
        HTTPClient.Proxy (fn "127.0.0.1" => NONE
                           | _ => SOME (concat ["http://", user, "127.0.0.1:", Int.toString there]))
      val client = HTTPClient.client [by "ann:a%20b@"]
      val plain = HTTPClient.client []
      fun told expected = check ("asked", expected, Mailbox.recv asked)
      val number = Int.toString port
    in
      Scope.run (fn scope =>
        (Scope.daemon scope (fn () => proxy listener);
         check ("by proxy", "hi", get client "http://somewhere.example/a?b");
         told "GET http://somewhere.example/a?b HTTP/1.1 / Proxy-Authorization: Basic YW5uOmEgYg==";
         check ("not by it",
                "/c of 127.0.0.1:" ^ number,
                get client (url ("http", "127.0.0.1", port, "/c")));
         (* WebSockets: by the proxy's CONNECT, and without it *)
         talk client [] (url ("ws", "localhost", port, "/echo"));
         told (concat ["CONNECT localhost:",
                       number,
                       " HTTP/1.1 / Proxy-Authorization: Basic YW5uOmEgYg=="]);
         talk plain [] (url ("ws", "127.0.0.1", port, "/echo"));
         (let
            fun refused (client, address) =
              (WebSocket.connect client [] {url = address, headers = HTTPHeaders.empty} ignore;
               "connected")
              handle HTTPClient.Failed {doing, cause, ...} => concat [doing, ": ", exnMessage cause]
          in
            check ("no WebSocket",
                   "asking for another protocol: Fail: the server has answered 200 OK",
                   refused (plain, url ("ws", "127.0.0.1", port, "/a")));
            check ("refused by the proxy",
                   "connecting to refused.example:80: SysErr: the proxy has answered 407 Proxy Authentication Required",
                   refused (client, "ws://refused.example/"));
            told "CONNECT refused.example:80 HTTP/1.1 / Proxy-Authorization: Basic YW5uOmEgYg==";
            (* The cause was that the proxy has answered 200 OK. *)
            check
              ("more than an answer of the proxy",
               "connecting to talkative.example:80: SysErr: the proxy has sent something behind its answer to CONNECT",
               refused (client, "ws://talkative.example/"));
            told "CONNECT talkative.example:80 HTTP/1.1 / Proxy-Authorization: Basic YW5uOmEgYg=="
          end);
         (* A name without a password was sent without the colon. *)
         check ("by proxy", "hi", get (HTTPClient.client [by "ann@"]) "http://somewhere.example/");
         told "GET http://somewhere.example/ HTTP/1.1 / Proxy-Authorization: Basic YW5uOg==";
         (* who is connected when the server stops is told, and the server does not wait for its grace *)
         WebSocket.connect
           plain
           []
           {url = url ("ws", "127.0.0.1", port, "/echo"), headers = HTTPHeaders.empty}
           (fn socket =>
             let
               val () = WebSocket.send (socket, WebSocket.TEXT "there?")
               val _ = WebSocket.receive socket
               val over = Scope.fork scope stop
             in
               check ("stopped",
                      "over",
                      case WebSocket.receive socket of NONE => "over" | SOME _ => "a message");
               check ("at once",
                      "at once",
                      select [wrap (over, fn () => "at once"),
                              wrap (timeOutEvt (ms 2500), fn () => "late")])
             end)));
      Socket.close listener
    end)
val () = print "done\n"
