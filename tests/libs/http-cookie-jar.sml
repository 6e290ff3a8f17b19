(* A client that keeps cookies: a login that redirects, paths, cookies that are taken back, and what a server may not set. *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val base = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar

fun setting lines response =
  foldl (fn (line, r) => HTTP.withHeader ("Set-Cookie", line) r) response lines
fun shown request =
  case HTTPHeaders.all (#headers (request : HTTP.request)) "cookie" of
    [] => "none"
  | lines => String.concatWith " and " lines
val site =
  HTTPRouter.router [HTTPRouter.on "POST" "/login" (fn _ =>
                       setting
                         ["session=42; Path=/; HttpOnly"]
                         (HTTP.withHeader ("Location", "/home") (HTTP.status 303))),
                     HTTPRouter.on "GET" "/logout" (fn _ =>
                       setting ["session=; Path=/; Max-Age=0"] (HTTP.text 200 "out")),
                     HTTPRouter.on "GET" "/old" (fn _ =>
                       setting
                         ["session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]
                         (HTTP.text 200 "old")),
                     HTTPRouter.on "GET" "/a/b/set" (fn _ =>
                       setting
                         ["here=1", "above=2; path=/a", "root=3; PATH=/", "other=4; Path=/x",
                          "secret=5; Secure; Path=/", "foreign=6; Domain=example.org; Path=/",
                          "__Host-h=7; Path=/", "=8", "none", "twice=9; Path=/", "twice=10; Path=/"]
                         (HTTP.text 200 "set")),
                     HTTPRouter.any "/*rest" (fn (_, request) => HTTP.text 200 (shown request))]

fun run name client =
  let
    fun text ({body, ...} : HTTP.response) = HTTPBody.all {most = 1000} body
    fun get path =
      print (concat [name, " ", path, ": ", text (HTTPClient.get client (base ^ path)), "\n"])
  in
    get "/home";
    print (name
           ^ " login: "
           ^ text (HTTPClient.post client {url = base ^ "/login", kind = "text/plain"} "me")
           ^ "\n");
    get "/home";
    app get ["/a/b/set", "/a/b/c", "/a/b", "/a/x", "/ab", "/"];
    print (name
           ^ " own: "
           ^ text (HTTPClient.send client {method = "GET",
                                           url = base ^ "/home",
                                           headers = HTTPHeaders.fromList [("Cookie", "mine=0")],
                                           body = HTTPBody.empty})
           ^ "\n");
    get (if name = "jar" then "/logout" else "/old");
    get "/home";
    HTTPClient.close client
  end

fun visit () =
  (run "jar" (HTTPClient.client [HTTPClient.KeepCookies]);
   run "another" (HTTPClient.client [HTTPClient.KeepCookies]);
   run "plain" (HTTPClient.client []);
   SyncVar.iPut (stop, ()))
val _ = CML.spawn visit
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site
