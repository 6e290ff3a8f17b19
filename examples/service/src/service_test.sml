(* `leat test` runs this file in a process of its own. Handlers are functions: most tests need no server. *)

open Test

structure Service = ServiceFn (Memory)

(* A service with an empty store. *)
fun service () = Service.handler (Metrics.registry (), Memory.new ())

fun request (method, target, body) =
  valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString (concat [method,
                                                                                " ",
                                                                                target,
                                                                                " HTTP/1.1\r\nHost: test\r\nContent-Length: ",
                                                                                Int.toString
                                                                                (size body),
                                                                                "\r\n\r\n",
                                                                                body])))

fun ask handler (method, target, body) =
  let
    val {status, headers, body, ...} = handler (request (method, target, body)) : HTTP.response
  in
    (status, HTTPHeaders.get headers "location", HTTPBody.all {most = 1000000} body)
  end

fun statusOf handler x = #1 (ask handler x)
fun textOf handler x = #3 (ask handler x)

val () =
  test "keeps notes" (fn () =>
    let
      val ask = ask (service ())
      val (status, location, _) = ask ("POST", "/notes", "{\"title\":\"milk\",\"text\":\"two\"}")
      val place = valOf location
      val id = String.extract (place, size "/notes/", NONE)
      fun shown text = concat ["{\"id\":\"", id, "\",\"title\":\"milk\",\"text\":\"", text, "\"}"]
    in
      Expect.equal Show.int 201 status;
      Expect.equal Show.string (shown "two" ^ "\n") (#3 (ask ("GET", place, "")));
      Expect.equal
        Show.int
        200
        (#1 (ask ("PUT", place, "{\"title\":\"milk\",\"text\":\"three\"}")));
      Expect.equal Show.string ("[" ^ shown "three" ^ "]\n") (#3 (ask ("GET", "/notes", "")));
      Expect.equal Show.int 204 (#1 (ask ("DELETE", place, "")));
      Expect.equal Show.int 404 (#1 (ask ("GET", place, "")))
    end)

val () =
  test "says what is wrong" (fn () =>
    let
      val service = service ()
      fun wrong body = textOf service ("POST", "/notes", body)
    in
      Expect.equal Show.int 400 (statusOf service ("POST", "/notes", "{}"));
      Expect.equal Show.string "{\"error\":\"$.title: is missing\"}\n" (wrong "{}");
      Expect.equal
        Show.string
        "{\"error\":\"$.title: expected a string, found 1\"}\n"
        (wrong "{\"title\":1}");
      Expect.equal
        Show.string
        "{\"error\":\"$.title: the title is empty\"}\n"
        (wrong "{\"title\":\"\"}");
      Expect.equal
        Show.string
        "{\"error\":\"$.colour: is not known; there are: title, text\"}\n"
        (wrong "{\"title\":\"a\",\"colour\":1}");
      Expect.equal Show.int 404 (statusOf service ("PUT", "/notes/x", "{\"title\":\"a\"}"));
      Expect.equal Show.int 405 (statusOf service ("PATCH", "/notes", ""))
    end)

val () =
  test "counts what it does" (fn () =>
    let
      val service = service ()
      fun has line = Expect.contains ("\n" ^ line ^ "\n") (textOf service ("GET", "/metrics", ""))
    in
      ignore (statusOf service ("POST", "/notes", "{\"title\":\"a\"}"));
      ignore (statusOf service ("GET", "/notes/x", ""));
      has "notes 1";
      has "http_requests_total{method=\"GET\",status=\"404\"} 1";
      has "http_requests_total{method=\"POST\",status=\"201\"} 1"
    end)

val () =
  test "loses nothing of many clients" (fn () =>
    let
      val service = service ()
      fun client i () =
        List.app
          (fn j =>
            ignore (statusOf service ("POST",
                                      "/notes",
                                      concat ["{\"title\":\"", Int.toString (10 * i + j), "\"}"])))
          (List.tabulate (10, fn j => j))
      val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
      val stop = SyncVar.iVar ()
    in
      Scope.run (fn scope =>
        List.app (fn i => ignore (Scope.fork scope (client i))) (List.tabulate (20, fn i => i)));
      (* over a connection, until it is told to stop *)
      Scope.run (fn scope =>
        let
          val served =
            Scope.fork scope (fn () =>
              HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener service)
          val client = HTTPClient.client []
          val url =
            concat ["http://127.0.0.1:", Int.toString (HTTPServer.port listener), "/metrics"]
          val {body, ...} = HTTPClient.get client url
        in
          Expect.contains "\nnotes 200\n" (HTTPBody.all {most = 100000} body);
          HTTPClient.close client;
          SyncVar.iPut (stop, ());
          CML.sync served
        end)
    end)
