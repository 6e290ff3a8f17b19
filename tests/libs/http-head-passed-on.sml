(* What is said of a body that is not sent. A handler that answers HEAD with what its client got said that the body of GET has no
   bytes (RFC 9110, 8.6). And 304 of a handler whose answers are compressed had neither Vary nor the tag of 200, and the length
   of the text (15.4.5). And what the client tells of an answer that it refuses. *)
(* of its own: several of these programs run at once *)
val folder = let val name = OS.FileSys.tmpName () in OS.FileSys.remove name; OS.FileSys.mkDir name; name end
fun file (name, text) =
  let val s = TextIO.openOut name in TextIO.output (s, text); TextIO.closeOut s end
val () = file (folder ^ "/a.txt", CharVector.tabulate (5000, fn _ => #"x"))
(* the tag of a file that was changed just now is weak *)
val () = OS.FileSys.setTime (folder ^ "/a.txt", SOME (Time.fromSeconds 1000000000))

val stop = SyncVar.iVar () : unit SyncVar.ivar
fun listen () = HTTPServer.listen {address = "127.0.0.1", port = 0}
fun serve (listener, handler) =
  CML.spawn (fn () =>
    HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener handler)
fun urlOf listener = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)

fun streamed _ =
  let
    val left = ref ["some", "text"]
    fun next () = case !left of [] => "" | s :: rest => (left := rest; s)
  in
    {status = 200,
     headers = HTTPHeaders.empty,
     body = HTTPBody.stream {length = NONE, next = next, close = fn () => ()}}
  end
val site =
  HTTPRouter.router [HTTPRouter.on "GET" "/text" (fn _ => HTTP.text 200 "hello, world"),
                     HTTPRouter.on "GET" "/empty" (fn _ => HTTP.text 200 ""),
                     HTTPRouter.on "GET" "/stream" streamed,
                     HTTPRouter.mount "/files" (HTTPCompress.responses [] (HTTPFiles.handler {root =
                                                                                folder,
                                                                                cache = 10000}))]
val (back, front) = (listen (), listen ())
val client = HTTPClient.client []
fun pass ({method, target, headers, body, ...} : HTTP.request) =
  HTTPClient.send
    client
    {method = method, url = urlOf back ^ target, headers = headers, body = body}
val servers = [serve (back, site), serve (front, pass)]

fun ask (listener, method, path, fields) =
  let
    val {status, headers, body} =
      HTTPClient.send client {method = method,
                              url = urlOf listener ^ path,
                              headers = HTTPHeaders.fromList fields,
                              body = HTTPBody.empty}
    fun field name = Option.getOpt (HTTPHeaders.get headers name, "none")
    val tag = String.isPrefix "W/" (field "etag")
    val text = HTTPBody.all {most = 10000} body
  in
    print (concat [method,
                   " ",
                   path,
                   ": ",
                   Int.toString status,
                   ", length ",
                   field "content-length",
                   ", vary ",
                   field "vary",
                   if tag then ", a weak tag" else "",
                   ", ",
                   Int.toString (size text),
                   " bytes\n"])
  end
fun both (method, path, fields) =
  (ask (back, method, path, fields); ask (front, method, path, fields))
val () =
  List.app (fn path => both ("HEAD", path, [])) ["/text", "/empty", "/stream", "/files/a.txt"]
val () = both ("HEAD", "/files/a.txt", [("Accept-Encoding", "gzip")])
val () = both ("GET", "/files/a.txt", [("If-None-Match", "*")])
val () = both ("GET", "/files/a.txt", [("If-None-Match", "*"), ("Accept-Encoding", "gzip")])
val {body, ...} =
  HTTPCompress.send {most = 10000} client {method = "HEAD",
                                           url = urlOf back ^ "/files/a.txt",
                                           headers = HTTPHeaders.empty,
                                           body = HTTPBody.empty}
val () = print (Int.toString (size (HTTPBody.all {most = 10} body)) ^ " bytes\n")
val () =
  (HTTPClient.close client;
   SyncVar.iPut (stop, ());
   List.app (fn t => CML.sync (CML.joinEvt t)) servers)
val () = (OS.FileSys.remove (folder ^ "/a.txt"); OS.FileSys.rmDir folder)

fun told text =
  ignore (HTTPMessage.readResponse HTTPMessage.limits {method = "GET"} (HTTPMessage.ofString text))
  handle e => print (exnMessage e ^ "\n")
val () = told "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nok"
val () = told "HTTP/1.1 200 OK\r\n"
