(* HTTPClient with HTTPServer, and with servers that say what a script tells: redirections, connections that are used
   again or are over meanwhile, answers that are none, time-outs, and requests that are not wanted any more. *)

open CML

fun check (name, expected, got) =
  if got = expected then ()
  else print (concat [name, ": ", String.toString got, ", and not ", expected, "\n"])
val ms = Time.fromMilliseconds
val number = Int.toString

(* -- in front of HTTPServer *)

val connections = SyncVar.mVarInit 0
fun count () = SyncVar.mPut (connections, SyncVar.mTake connections + 1)

val large = CharVector.tabulate (300000, fn i => Char.chr (97 + i mod 26))
fun redirect (status, place) = HTTP.withHeader ("Location", place) (HTTP.status status)
fun chunks text =
  let
    val at = ref 0
  in
    HTTPBody.stream {length = NONE,
                     close = fn () => (),
                     next = fn () =>
                       let
                         val piece = String.substring (text, !at, Int.min (7000, size text - !at))
                       in
                         (at := !at + size piece; piece)
                       end}
  end

val site =
  HTTPRouter.router [HTTPRouter.any "/echo" (fn (_,
                                                 {method, body, headers, query, ...} :
                                                   HTTP.request) =>
                       HTTP.text 200 (concat [method,
                                              " ",
                                              query,
                                              " ",
                                              Option.getOpt
                                                (HTTPHeaders.get headers "content-type", "-"),
                                              " ",
                                              Option.getOpt
                                                (HTTPHeaders.get headers "authorization", "-"),
                                              " ",
                                              HTTPBody.all {most = 1000000} body])),
                     HTTPRouter.on "GET" "/large" (fn _ => HTTP.text 200 large),
                     HTTPRouter.on "GET" "/chunks" (fn _ =>
                       {status = 200, headers = HTTPHeaders.empty, body = chunks large}),
                     HTTPRouter.on "GET" "/none" (fn _ =>
                       {status = 204, headers = HTTPHeaders.empty, body = HTTPBody.empty}),
                     HTTPRouter.on "POST" "/length" (fn (_, {body, ...}) =>
                       HTTP.text 200 (number (size (HTTPBody.all {most = 1000000} body)))),
                     HTTPRouter.any "/to/:status" (fn (params, _) =>
                       redirect (valOf (Int.fromString (params "status")), "/echo?moved")),
                     HTTPRouter.any "/a/b/relative" (fn _ => redirect (302, "../../echo?r")),
                     HTTPRouter.any "/query" (fn (_, {query, ...}) =>
                       if query = "x" then HTTP.text 200 "x" else redirect (302, "?x")),
                     HTTPRouter.any "/round" (fn _ => redirect (302, "/round")),
                     HTTPRouter.on "GET" "/slow" (fn _ =>
                       (OS.Process.sleep (Time.fromSeconds 60); HTTP.status 200))]

val stop = SyncVar.iVar () : unit SyncVar.ivar
fun serve handler =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val port = HTTPServer.port listener
    val ended = SyncVar.iVar () : unit SyncVar.ivar
    fun run () =
      (HTTPServer.serveOn
         {name = fn _ => "", prepare = fn _ => count ()}
         [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
          HTTPServer.MaxBody 1000000,
          HTTPServer.GraceTime (ms 10)]
         (case listener of HTTPServer.Four sock => sock | HTTPServer.Six _ => raise Match)
         handler;
       SyncVar.iPut (ended, ()))
  in
    ignore (spawn run);
    (concat ["http://127.0.0.1:", number port], ended)
  end

val (base, ended) = serve site
val (elsewhere, ended') =
  serve (HTTPRouter.router [HTTPRouter.any "/away" (fn _ => redirect (307, base ^ "/echo"))])
val client = HTTPClient.client []
fun all ({status, body, ...} : HTTP.response) =
  number status ^ " " ^ HTTPBody.all {most = 1000000} body
fun ask (method, url, fields, body) =
  all (HTTPClient.send
         client
         {method = method, url = url, headers = HTTPHeaders.fromList fields, body = body})
fun get path = all (HTTPClient.get client (base ^ path))
fun failure f =
  (ignore (f ()); "no failure")
  handle HTTPClient.Failed {doing, cause, ...} =>
           doing
           ^ ": "
           ^ (case cause of
                OS.SysErr _ => "SysErr"
              | Fail s => s
              | HTTPMessage.Bad (_, why) => why
              | HTTPBody.Broken why => "broken: " ^ why
              | e => exnName e)
       | HTTPClient.Address why => why
       | HTTPBody.TooLarge => "too large"

fun plain () =
  (check ("get", "200 GET a=b - - ", get "/echo?a=b");
   check ("head", "200 ", ask ("HEAD", base ^ "/large", [], HTTPBody.empty));
   check ("post",
          "200 POST  text/x - abc",
          all (HTTPClient.post client {url = base ^ "/echo", kind = "text/x"} "abc"));
   check ("large", "200 " ^ large, get "/large");
   check ("chunks", "200 " ^ large, get "/chunks");
   check ("chunks there", "200 300000", ask ("POST", base ^ "/length", [], chunks large));
   check ("no content", "204 ", get "/none");
   check ("no such page", "404 404 Not Found\n", get "/nothing");
   (* One after the other: one connection. *)
   check ("connections", "1", number (SyncVar.mGet connections)))

fun redirections () =
  let
    fun to (status, method) =
      ask (method,
           base ^ "/to/" ^ number status,
           [("Content-Type", "t"), ("Authorization", "a")],
           HTTPBody.string "body")
    fun stream (status, method) = ask (method, base ^ "/to/" ^ number status, [], chunks "body")
  in
    List.app (fn (name, expected, got) => check (name, expected, got)) [("303",
                                                                         "200 GET moved - a ",
                                                                         to (303, "POST")),
                                                                        ("302",
                                                                         "200 GET moved - a ",
                                                                         to (302, "POST")),
                                                                        ("301",
                                                                         "200 GET moved - a ",
                                                                         to (301, "POST")),
                                                                        ("302 of PUT",
                                                                         "200 PUT moved t a body",
                                                                         to (302, "PUT")),
                                                                        ("307",
                                                                         "200 POST moved t a body",
                                                                         to (307, "POST")),
                                                                        ("308",
                                                                         "200 POST moved t a body",
                                                                         to (308, "POST")),
                                                                        (* a stream cannot be sent again *)
                                                                        ("307 with a stream",
                                                                         "307 307 Temporary Redirect\n",
                                                                         stream (307, "POST")),
                                                                        ("303 with a stream",
                                                                         "200 GET moved - - ",
                                                                         stream (303, "POST")),
                                                                        ("relative",
                                                                         "200 GET r - - ",
                                                                         get "/a/b/relative"),
                                                                        ("a query",
                                                                         "200 x",
                                                                         get "/query"),
                                                                        ("to another host",
                                                                         "200 POST  - - b",
                                                                         ask ("POST",
                                                                              elsewhere ^ "/away",
                                                                              [("Authorization",
                                                                                "a")],
                                                                              HTTPBody.string "b")),
                                                                        ("round",
                                                                         "following redirections: there are too many",
                                                                         failure (fn () =>
                                                                           get "/round"))];
    check ("none followed",
           "302",
           number (#status (HTTPClient.get
                              (HTTPClient.client [HTTPClient.MaxRedirects 0])
                              (base ^ "/round"))))
  end

(* -- in front of a script *)

(* A server that answers each connection by its own text, when something has come, and closes it if it is told to. *)
fun script answers =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    val port = HTTPServer.port listener
    val listening = case listener of HTTPServer.Four sock => sock | HTTPServer.Six _ => raise Match
    fun send (sock, text) =
      ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))
    fun serve (_, []) = ()
      | serve (sock, text :: rest) =
          if Word8Vector.length (Socket.recvVec (sock, 65536)) = 0 then ()
          else (send (sock, text); serve (sock, rest))
    fun run [] = HTTPServer.close listener
      | run ((texts, closes) :: rest) =
          let
            val (sock, _) = Socket.accept listening
          in
            serve (sock, texts);
            if closes then Socket.close sock
            else (ignore (spawn (fn () => (ignore (Socket.recvVec (sock, 1)); Socket.close sock))));
            run rest
          end
  in
    ignore (spawn (fn () => run answers handle _ => ()));
    concat ["http://127.0.0.1:", number port, "/"]
  end

val ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
fun twice method answers =
  let
    val url = script answers
    fun once () = ask (method, url, [], HTTPBody.empty)
  in
    (once (); failure once)
  end
fun scripted answer =
  failure (fn () =>
    HTTPBody.all {most = 100} (#body (HTTPClient.get client (script [([answer], true)]))))

fun scripts () =
  (* A connection that was kept, and is over when it is used again: asked once more, if that may be. *)
  (check ("again", "no failure", twice "GET" [([ok], true), ([ok], true)]);
   check ("again, closed when asked", "no failure", twice "GET" [([ok, ""], true), ([ok], true)]);
   check
     ("not again", "waiting for the answer: Closed", twice "POST" [([ok, ""], true), ([ok], true)]);
   check ("not when some has come",
          "waiting for the answer: Closed",
          twice "GET" [([ok, "HTTP/1.1 2"], true), ([ok], true)]);
   (* What comes unasked is no answer to the next request. *)
   check ("unasked",
          "no failure",
          twice "GET" [([ok ^ "HTTP/1.1 500 X\r\n\r\n"], false), ([ok], true)]);
   List.app (fn (answer, expected) => check (answer, expected, scripted answer)) [("",
                                                                                "waiting for the answer: Closed"),
                                                                                ("HTTP/1.1 200 OK\r\n",
                                                                                "waiting for the answer: Closed"),
                                                                                ("SSH-2.0-x\r\n\r\n",
                                                                                "waiting for the answer: no version of HTTP"),
                                                                                ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
                                                                                "waiting for the answer: two lengths"),
                                                                                ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                                                                                "reading the answer: broken: the connection ended within a body"),
                                                                                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
                                                                                "reading the answer: broken: the connection ended within a body"),
                                                                                ("HTTP/1.1 200 OK\r\n\r\n"
                                                                                ^ CharVector.tabulate
                                                                                (101, fn _ => #"x"),
                                                                                "too large"),
                                                                                (* interim answers, and one that comes
                                                                                   before the whole request was sent *)
                                                                                ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\n"
                                                                                ^ ok,
                                                                                "no failure")];
   check ("nobody listens",
          "connecting to 127.0.0.1:1: SysErr",
          failure (fn () => HTTPClient.get client "http://127.0.0.1:1/")))

fun addresses () =
  List.app
    (fn (url, expected) => check (url, expected, failure (fn () => HTTPClient.get client url)))
    [("https://x/", "this client has no TLS: https://x/"),
     ("x", "an address without a scheme or a host: x"),
     ("ftp://x/", "an address that is not of HTTP: ftp://x/"),
     ("http:///", "a host that is none: http:///"),
     ("http://x:0/", "a port that is none: http://x:0/"),
     ("http://x:99999/", "a port that is none: http://x:99999/"),
     ("http://a@x/", "an address with a user is not taken: http://x/"),
     ("http://x/ HTTP/1.1", "a character that no address has: http://x/ HTTP/1.1")]

(* -- time *)

fun times () =
  let
    fun hastily setting url =
      failure (fn () => HTTPBody.all {most = 100} (#body (HTTPClient.get (HTTPClient.client [setting]) url)))
  in
    check ("a slow answer", "waiting for the answer: TimeOut", hastily (HTTPClient.AnswerTime (ms 100)) (base ^ "/slow"));
    check ("a slow body",
           "reading the answer: TimeOut",
           hastily (HTTPClient.PieceTime (ms 100)) (script [(["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"], false)]));
    check ("a choice",
           "time",
           select [wrap (HTTPClient.sendEvt client {method = "GET",
                                                    url = base ^ "/slow",
                                                    headers = HTTPHeaders.empty,
                                                    body = HTTPBody.empty},
                         all),
                   wrap (timeOutEvt (ms 100), fn () => "time")]);
    check ("the other choice",
           "200 GET  - - ",
           select [wrap (HTTPClient.sendEvt client {method = "GET",
                                                    url = base ^ "/echo",
                                                    headers = HTTPHeaders.empty,
                                                    body = HTTPBody.empty},
                         all),
                   wrap (timeOutEvt (Time.fromSeconds 60), fn () => "time")]);
    check ("a failure of a choice",
           "connecting to 127.0.0.1:1: SysErr",
           failure (fn () =>
             sync (HTTPClient.sendEvt client {method = "GET",
                                              url = "http://127.0.0.1:1/",
                                              headers = HTTPHeaders.empty,
                                              body = HTTPBody.empty})));
    check ("a scope",
           "cancelled",
           case Scope.within (ms 100) (fn _ => get "/slow") of SOME s => s | NONE => "cancelled")
  end

(* Many at once; afterwards some of their connections are kept, and no more than may be. *)
fun many () =
  Scope.run (fn scope =>
    List.app
      (fn i =>
        ignore (Scope.fork scope (fn () =>
                  check
                    ("many", concat ["200 GET ", number i, " - - "], get ("/echo?" ^ number i)))))
      (List.tabulate (60, fn i => i)))

fun descriptor () =
  let
    val fd = Posix.FileSys.openf ("/dev/null", Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])
  in
    (Posix.IO.close fd; SysWord.toInt (Posix.FileSys.fdToWord fd))
  end

val first = descriptor ()
val () =
  (plain (); redirections (); scripts (); addresses (); times (); many (); HTTPClient.close client)
val () = SyncVar.iPut (stop, ())
val () = (SyncVar.iGet ended; SyncVar.iGet ended')
(* All are closed, those of the scripts a little later. *)
fun closed 0 = false
  | closed n = descriptor () <= first orelse (sync (timeOutEvt (ms 10)); closed (n - 1))
val () = check ("descriptors", "closed", if closed 500 then "closed" else "open")
val () = print "done\n"

(* What a log has of a failure: the address, what was being done, and why it failed. *)
val () =
  print (exnMessage (HTTPClient.Failed {url = "http://a/", doing = "connecting to a:80", cause = Fail "no"}) ^ "\n")
