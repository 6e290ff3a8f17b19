(* Redirections: a Location that cannot be asked raised HTTPClient.Address out of `send`, without the URL that was asked; for
   an address with a user the message was "a port that is none", with the password in it. A whole Location kept its `..`, and
   so was given the cookies of a folder that it is not in. Proxy-Authorization went on to another host. A proxy without a
   scheme was shown as `127.0.0.1:1://`. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar

(* `/to?PLACE` leads to that place; another path shows what was asked *)
fun answer ({path, query, target, headers, ...} : HTTP.request) =
  case path of
    ["to"] =>
      HTTP.withHeader
        ("Set-Cookie", "a=1; Path=/a")
        (HTTP.withHeader ("Location", valOf (URL.decode query)) (HTTP.status 302))
  | _ =>
      HTTP.text 200 (String.concatWith " " (target
                                            :: List.mapPartial (HTTPHeaders.get headers) ["cookie",
                                                                                "authorization",
                                                                                "proxy-authorization",
                                                                                "x"]))

(* without the number of the port, which differs *)
fun shown text =
  let
    val (front, back) = Substring.position port (Substring.full text)
  in
    if Substring.isEmpty back then text
    else
      concat [Substring.string front,
              "PORT",
              shown (Substring.string (Substring.triml (size port) back))]
  end

fun ask (client, url, fields) =
  print ((shown (HTTPBody.all {most = 1000} (#body (HTTPClient.send client {method = "GET",
                                                                            url = url,
                                                                            headers =
                                                                              HTTPHeaders.fromList
                                                                                fields,
                                                                            body =
                                                                              HTTPBody.empty})))
          handle e as HTTPClient.Failed _ => "Failed: " ^ shown (exnMessage e)
               | e as HTTPClient.Address _ => "Address: " ^ shown (exnMessage e))
         ^ "\n")

fun visit () =
  let
    val base = concat ["http://127.0.0.1:", port]
    fun to place = concat [base, "/to?", URL.encode place]
    fun follow place =
      ask (HTTPClient.client [HTTPClient.KeepCookies],
           to place,
           [("Authorization", "secret"), ("Proxy-Authorization", "secret"), ("X", "x")])
    val client = HTTPClient.client []
    fun direct url = ask (client, url, [])
    fun by proxy = ask (HTTPClient.client [HTTPClient.Proxy (fn _ => SOME proxy)], "http://x/", [])
  in
    print "-- redirections\n";
    List.app follow ["http:foo",
                     "http://ann:password@127.0.0.1/x",
                     "//ann:password@127.0.0.1/x",
                     "https://127.0.0.1/",
                     "ftp://127.0.0.1/",
                     "http://127.0.0.1:99999/",
                     (* dots, and the cookies of /a *)
                     "/a/b",
                     "/a/../b",
                     base ^ "/a/../b",
                     concat ["//127.0.0.1:", port, "/a/./b?c=/../d"],
                     base ^ "/a/b?c[]=/../d",
                     base ^ "?q",
                     base,
                     (* another host *)
                     concat ["http://localhost:", port, "/"]];
    print "-- addresses\n";
    List.app direct ["http://ann:password@127.0.0.1/",
                     "http://ann@127.0.0.1/a?b@c",
                     "ann:password@127.0.0.1",
                     "http://a/b c",
                     concat [base, "/a@b?c@d"],
                     concat ["http://127.0.0.1:00000000000000000", port, "/"]];
    print "-- proxies\n";
    List.app by ["127.0.0.1:1", "ann:password@127.0.0.1:1", "https://ann:password@127.0.0.1:1"];
    SyncVar.iPut (stop, ())
  end
val _ = CML.spawn visit
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener answer
