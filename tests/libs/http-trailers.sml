(* Trailers: fields behind a body, read and written, by texts and between a server and a client; which may not stand there;
   and what bounds them. The server of the second part listens at an address of IPv6, where the system has that. *)

val print = fn s => print (s ^ "\n")
fun shown headers =
  String.concatWith ", " (map (fn (n, v) => n ^ "=" ^ v) (HTTPHeaders.toList headers))

(* -- what is read *)

val spelt = String.translate (fn #"~" => "\r\n" | c => String.str c)
val limits = {header = 200, fields = 4, body = 40}

fun outcome f =
  f ()
  handle HTTPMessage.Bad (status, _) => Int.toString status
       | HTTPMessage.Closed => "cut"
       | HTTPBody.Broken _ => "broken"
       | HTTPHeaders.Invalid why => "Invalid: " ^ why

fun read (source, f) =
  outcome (fn () =>
    let
      val body = f source
      val before' = shown (HTTPBody.trailers body)
      val text = HTTPBody.all {most = 1000} body
    in
      concat ["[", before', "] ", text, " [", shown (HTTPBody.trailers body), "]"]
    end)
fun request source = #body (valOf (HTTPMessage.readRequest limits source))
fun response source = #body (HTTPMessage.readResponse limits {method = "GET"} source)

(* The same, byte by byte. *)
fun slowly text =
  let
    val at = ref 0
  in
    HTTPMessage.source (fn () =>
      if !at = size text then "" else (at := !at + 1; String.str (String.sub (text, !at - 1))))
  end
fun both (what, front, f) chunks =
  let
    val text = spelt (front ^ "Transfer-Encoding: chunked~~" ^ chunks)
    val (a, b) = (read (HTTPMessage.ofString text, f), read (slowly text, f))
  in
    print (String.toString (concat [what, " ", chunks, ": ", if a = b then a else a ^ " BUT " ^ b]))
  end
val asked = both ("request", "POST / HTTP/1.1~Host: x~", request)
val answered = both ("response", "HTTP/1.1 200 OK~", response)

val () =
  List.app (fn chunks => (asked chunks; answered chunks)) ["3~abc~0~~",
                                                           "3~abc~0~Digest: 1~~",
                                                           "0~A: 1~B:  2 ~a: 3~~",
                                                           "3~abc~0~Content-Length: 7~Host: y~X: 1~transfer-encoding: gzip~~",
                                                           "0~A: 1~A: 2~A: 3~A: 4~~",
                                                           "0~A: 1~A: 2~A: 3~A: 4~A: 5~~",
                                                           "0~A: " ^ CharVector.tabulate (200, fn _ => #"x") ^ "~~",
                                                           "0~A : 1~~",
                                                           "0~ A: 1~~",
                                                           "0~A: 1\n~~",
                                                           "0~A: 1~",
                                                           "0~A: \000~~"]

(* -- what is written *)

fun written about body =
  outcome (fn () =>
    let
      val pieces = ref []
    in
      HTTPMessage.writeResponse (fn s => pieces := s :: !pieces) about
        {status = 200, headers = HTTPHeaders.empty, body = body ()};
      String.toString (concat (rev (!pieces)))
    end)

fun with' (names, fields) () =
  HTTPBody.withTrailers {names = names, fields = fn () => HTTPHeaders.fromList fields} (HTTPBody.string "abc")
val digest = with' (["Digest", "X-Time"], [("digest", "d"), ("X-Other", "not announced"), ("X-Time", "5")])
val () = print (written {method = "GET", minor = 1} digest)
val () = print (written {method = "GET", minor = 0} digest)
val () = print (written {method = "HEAD", minor = 1} digest)
val () =
  List.app
    (fn name => print (written {method = "GET", minor = 1} (with' ([name], []))))
    ["Content-Length", "host", "Set-Cookie", "two words", "", "Digest"]

(* Compressing keeps them. *)
val () =
  let
    val zipped =
      HTTPCompress.responses [] (fn _ =>
        {status = 200, headers = HTTPHeaders.fromList [("Content-Type", "text/plain")], body = digest ()})
    val text = "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
    val {headers, body, ...} = zipped (valOf (HTTPMessage.readRequest limits (HTTPMessage.ofString text)))
    val size = size (HTTPBody.all {most = 1000} body)
  in
    print (concat [getOpt (HTTPHeaders.get headers "content-encoding", "plain"),
                   " ",
                   Bool.toString (size > 20),
                   " ",
                   shown (HTTPBody.trailers body)])
  end

(* -- between a server and a client *)

fun served (address, url, client) =
  let
    val listener = HTTPServer.listen {address = address, port = 0}
    val stop = SyncVar.iVar ()
    val seen = ref ""
    (* Gives back the body with its length behind it, and tells what stood behind the request's. *)
    fun handler ({body, peer, ...} : HTTP.request) =
      let
        val text = HTTPBody.all {most = 1000000} body
      in
        seen := shown (HTTPBody.trailers body) ^ (if peer = client then "" else " from " ^ peer);
        {status = 200,
         headers = HTTPHeaders.empty,
         body =
           HTTPBody.withTrailers
             {names = ["Length"], fields = fn () => HTTPHeaders.fromList [("Length", Int.toString (size text))]}
             (HTTPBody.string text)}
      end
    fun ask (client, text) =
      let
        val count = ref 0
        val pieces = ref [text, text]
        fun next () =
          case !pieces of
            [] => ""
          | piece :: rest => (pieces := rest; count := !count + size piece; piece)
        val body =
          HTTPBody.withTrailers
            {names = ["Sent"], fields = fn () => HTTPHeaders.fromList [("Sent", Int.toString (!count))]}
            (HTTPBody.stream {length = NONE, next = next, close = fn () => ()})
        val {status, headers, body} =
          HTTPClient.send
            client
            {method = "POST", url = url (HTTPServer.port listener), headers = HTTPHeaders.empty, body = body}
        val text = HTTPBody.all {most = 1000000} body
      in
        print (concat [Int.toString status,
                       " ",
                       Int.toString (size text),
                       " ",
                       getOpt (HTTPHeaders.get headers "trailer", "no Trailer"),
                       ": ",
                       shown (HTTPBody.trailers body),
                       "; the server has seen ",
                       !seen])
      end
  in
    Scope.run (fn scope =>
      let
        val _ =
          Scope.fork scope (fn () =>
            HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener handler)
        val client = HTTPClient.client []
      in
        (* Twice by one connection: all of the first body was read, with what stood behind it. *)
        List.app (fn text => ask (client, text)) ["abc", CharVector.tabulate (70000, fn _ => #"x")];
        HTTPClient.close client;
        SyncVar.iPut (stop, ())
      end)
  end

fun at host port = concat ["http://", host, ":", Int.toString port, "/"]
val hasSix = (HTTPServer.close (HTTPServer.listen {address = "::1", port = 0}); true) handle OS.SysErr _ => false
val () = served ("127.0.0.1", at "127.0.0.1", "127.0.0.1")
val () = if hasSix then served ("::1", at "[::1]", "::1") else served ("127.0.0.1", at "127.0.0.1", "127.0.0.1")
(* All addresses of both kinds: a client by IPv4 is named as one. *)
val () = if hasSix then served ("::", at "127.0.0.1", "127.0.0.1") else served ("", at "127.0.0.1", "127.0.0.1")
val () =
  ignore (HTTPServer.listen {address = "::1::", port = 0})
  handle OS.SysErr (why, _) => print why
