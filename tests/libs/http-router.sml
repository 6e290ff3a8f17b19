(* HTTPRouter and HTTPFiles, called as functions: which route answers, with which parts of the path, and what of a
   folder's files goes out, as a whole, in part, or not at all because the client has it. *)

fun request (method, target, headers) : HTTP.request =
  let
    val text =
      concat [method,
              " ",
              target,
              " HTTP/1.1\r\nHost: x\r\n",
              concat (List.map (fn (n, v) => n ^ ": " ^ v ^ "\r\n") headers),
              "\r\n"]
  in
    valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text))
  end

fun show names ({status, headers, body} : HTTP.response) =
  String.concatWith " " (Int.toString status
                         :: List.mapPartial
                           (fn name =>
                             Option.map (fn v => name ^ "=" ^ v) (HTTPHeaders.get headers name))
                           names
                         @ [HTTPBody.all {most = 1000000} body])

fun check (name, expected, got) =
  if got = expected then ()
  else print (concat [name, ": ", String.toString got, ", and not ", expected, "\n"])

(* -- routes *)

open HTTPRouter
fun say text (_, _) = HTTP.text 200 text
fun saying names (params, _) = HTTP.text 200 (String.concatWith "," (List.map params names))
fun inner ({path, ...} : HTTP.request) = HTTP.text 200 ("inner " ^ String.concatWith "/" path)

val site =
  router [on "GET" "/" (say "home"),
          on "GET" "/users" (say "users"),
          on "POST" "/users" (say "new user"),
          on "GET" "/users/me" (say "me"),
          on "GET" "/users/:id" (saying ["id"]),
          on "DELETE" "/users/:id" (say "gone"),
          on "GET" "/users/:user/posts/:post" (saying ["user", "post"]),
          on "GET" "/files/*path" (saying ["path"]),
          on "GET" "/files/list" (say "list"),
          any "/any" (fn (_, {method, ...}) => HTTP.text 200 method),
          on "PUT" "/any" (say "put"),
          mount "/static" inner,
          mount "/deep/:x" inner,
          on "GET" "/a/" (say "slash")]

val routes =
  [("GET", "/", "200 home"),
   ("HEAD", "/", "200 home"),
   ("GET", "/users?a=b", "200 users"),
   ("POST", "/users", "200 new user"),
   ("GET", "/users/me", "200 me"),
   ("GET", "/users/7", "200 7"),
   ("GET", "/users/a%2Fb%20c", "200 a/b c"),
   (* the place of a text has no such method, but that of a name has *)
   ("DELETE", "/users/me", "200 gone"),
   ("GET", "/users/1/posts/2", "200 1,2"),
   ("GET", "/users/me/posts/2", "200 me,2"),
   ("GET", "/files/a/b/c", "200 a/b/c"),
   ("GET", "/files/list", "200 list"),
   ("GET", "/files/list/x", "200 list/x"),
   ("GET", "/files", "200 "),
   ("BREW", "/any", "200 BREW"),
   ("PUT", "/any", "200 put"),
   ("GET", "/static/a/b", "200 inner a/b"),
   ("POST", "/static/", "200 inner "),
   ("GET", "/deep/1/2", "200 inner 2"),
   ("GET", "/a/", "200 slash"),
   ("GET", "/a", "404 404 Not Found\n"),
   ("GET", "/none", "404 404 Not Found\n"),
   ("GET", "/users/", "404 404 Not Found\n"),
   ("GET", "/users/..", "404 404 Not Found\n"),
   ("GET", "/users/..%2f..%2Fetc", "404 404 Not Found\n"),
   ("GET", "/users/a%2F.", "404 404 Not Found\n"),
   ("GET", "/static/%2e%2e/x", "404 404 Not Found\n"),
   ("GET", "//", "404 404 Not Found\n"),
   ("POST", "/", "405 Allow=GET, HEAD, OPTIONS 405 Method Not Allowed\n"),
   ("PUT", "/users/me", "405 Allow=GET, HEAD, DELETE, OPTIONS 405 Method Not Allowed\n"),
   ("OPTIONS", "/users", "204 Allow=GET, HEAD, POST, OPTIONS "),
   (* the whole server, and not a path that nobody has *)
   ("OPTIONS", "*", "204 Allow=GET, HEAD, POST, DELETE, PUT, OPTIONS "),
   ("CONNECT", "a:80", "501 501 Not Implemented\n")]
val () =
  List.app
    (fn (method, target, expected) =>
      check (method ^ " " ^ target, expected, show ["Allow"] (site (request (method, target, [])))))
    routes

fun conflict routes = (ignore (router (routes ())); "taken") handle Conflict _ => "conflict"
val () =
  List.app (fn (name, routes) => check (name, "conflict", conflict routes)) [("twice",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/a"
                                                                                (say ""),
                                                                                on
                                                                                "GET"
                                                                                "/a"
                                                                                (say "")]),
                                                                             ("with other names",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/:a"
                                                                                (say ""),
                                                                                on
                                                                                "GET"
                                                                                "/:b"
                                                                                (say "")]),
                                                                             ("two folders",
                                                                              fn () =>
                                                                                [mount "/a" inner,
                                                                                mount "/a/" inner]),
                                                                             ("no slash",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "a"
                                                                                (say "")]),
                                                                             ("no name",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/a/:"
                                                                                (say "")]),
                                                                             ("behind the rest",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/*a/b"
                                                                                (say "")]),
                                                                             (* it raised Subscript for GET /a *)
                                                                             ("the rest of a folder",
                                                                              fn () =>
                                                                                [mount
                                                                                "/a/*rest"
                                                                                inner]),
                                                                             ("a name twice",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/:a/b/:a"
                                                                                (say "")]),
                                                                             ("and of the rest",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/:a/*a"
                                                                                (say "")]),
                                                                             ("no path has dots",
                                                                              fn () =>
                                                                                [on
                                                                                "GET"
                                                                                "/a/../b"
                                                                                (say "")]),
                                                                             ("nor a dot",
                                                                              fn () =>
                                                                                [mount
                                                                                "/a/." inner])]
val () =
  check ("no such name",
         "Fail",
         (ignore (router [on "GET" "/:a" (saying ["b"])] (request ("GET", "/x", []))); "none")
         handle Fail _ => "Fail")

(* A response that is made once goes to everybody: its text was given to the first one, and the others got none. *)
val always = HTTP.text 200 "always"
val constant = router [on "GET" "/" (fn _ => always)]
fun sent () =
  let
    val pieces = ref []
  in
    HTTPMessage.writeResponse
      (fn p => pieces := p :: !pieces)
      {method = "GET", minor = 1}
      (constant (request ("GET", "/", [])));
    if String.isSuffix "\r\n\r\nalways" (concat (List.rev (!pieces))) then "sent" else "not sent"
  end
val () = List.app (fn f => check ("a constant", "sent", f ())) [sent, sent]
fun read () = show [] (constant (request ("GET", "/", [])))
val () = List.app (fn f => check ("a constant", "200 always", f ())) [read, read]

(* -- files *)

val folder = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove folder; OS.FileSys.mkDir folder; OS.FileSys.mkDir (folder ^ "/sub"))
fun path name = folder ^ "/" ^ name
fun write (name, text) =
  let val s = TextIO.openOut (path name) in (TextIO.output (s, text); TextIO.closeOut s) end
val date = "Sun, 06 Nov 1994 08:49:37 GMT"
fun date' name = OS.FileSys.setTime (path name, SOME (Time.fromSeconds 784111777))
val large = CharVector.tabulate (200000, fn i => Char.chr (97 + i mod 26))
val () =
  List.app (fn (name, text) => (write (name, text); date' name)) [("a.txt", "0123456789"),
                                                                  ("index.html", "home"),
                                                                  ("empty", ""),
                                                                  ("large.bin", large),
                                                                  ("sub/b.css", "b"),
                                                                  ("a b%.json", "{}")]

val files = HTTPFiles.handler {root = folder, cache = 100000}
fun ask (method, target, headers) = files (request (method, target, headers))
val tag = valOf (HTTPHeaders.get (#headers (ask ("GET", "/a.txt", []))) "etag")

fun range text = [("Range", text)]
val names = ["Content-Type", "Content-Range", "Location", "Allow"]
val text = "Content-Type=text/plain; charset=utf-8"
val rows =
  [("GET", "/a.txt", [], "200 " ^ text ^ " 0123456789"),
   ("GET", "/", [], "200 Content-Type=text/html; charset=utf-8 home"),
   ("GET", "//.//./a.txt", [], "200 " ^ text ^ " 0123456789"),
   ("GET", "/sub/b.css?x", [], "200 Content-Type=text/css; charset=utf-8 b"),
   ("GET", "/a%20b%25.json", [], "200 Content-Type=application/json {}"),
   ("GET", "/empty", [], "200 Content-Type=application/octet-stream "),
   ("GET", "/sub", [], "301 " ^ text ^ " Location=/sub/ 301 Moved Permanently\n"),
   ("GET", "//sub?x", [], "301 " ^ text ^ " Location=/sub/?x 301 Moved Permanently\n"),
   ("GET", "/sub/", [], "404 " ^ text ^ " 404 Not Found\n"),
   ("GET", "/none", [], "404 " ^ text ^ " 404 Not Found\n"),
   ("GET", "/a.txt/", [], "404 " ^ text ^ " 404 Not Found\n"),
   ("GET", "/sub/../a.txt", [], "404 " ^ text ^ " 404 Not Found\n"),
   ("GET", "/sub%2fb.css", [], "404 " ^ text ^ " 404 Not Found\n"),
   ("GET", "/a.txt%00", [], "404 " ^ text ^ " 404 Not Found\n"),
   ("POST", "/a.txt", [], "405 " ^ text ^ " Allow=GET, HEAD 405 Method Not Allowed\n"),
   ("BREW", "/a.txt", [], "501 " ^ text ^ " 501 Not Implemented\n"),
   (* RFC 9110, 14: ranges *)
   ("GET", "/a.txt", range "bytes=2-4", "206 " ^ text ^ " Content-Range=bytes 2-4/10 234"),
   ("GET", "/a.txt", range "bytes=7-", "206 " ^ text ^ " Content-Range=bytes 7-9/10 789"),
   ("GET", "/a.txt", range "bytes=-3", "206 " ^ text ^ " Content-Range=bytes 7-9/10 789"),
   ("GET", "/a.txt", range "bytes=-30", "206 " ^ text ^ " Content-Range=bytes 0-9/10 0123456789"),
   ("GET", "/a.txt", range "bytes=8-99999999999", "206 " ^ text ^ " Content-Range=bytes 8-9/10 89"),
   (* numbers of more than 15 digits were none, and the range was passed over *)
   ("GET",
    "/a.txt",
    range "bytes=8-99999999999999999999",
    "206 " ^ text ^ " Content-Range=bytes 8-9/10 89"),
   ("GET",
    "/a.txt",
    range "bytes=-99999999999999999999",
    "206 " ^ text ^ " Content-Range=bytes 0-9/10 0123456789"),
   ("GET",
    "/a.txt",
    range "bytes=99999999999999999999-",
    "416 " ^ text ^ " Content-Range=bytes */10 416 Range Not Satisfiable\n"),
   ("GET", "/a.txt", range "Bytes=0-0", "206 " ^ text ^ " Content-Range=bytes 0-0/10 0"),
   ("GET",
    "/a.txt",
    range "bytes=10-",
    "416 " ^ text ^ " Content-Range=bytes */10 416 Range Not Satisfiable\n"),
   ("GET",
    "/a.txt",
    range "bytes=-0",
    "416 " ^ text ^ " Content-Range=bytes */10 416 Range Not Satisfiable\n"),
   ("GET",
    "/empty",
    range "bytes=0-",
    "416 " ^ text ^ " Content-Range=bytes */0 416 Range Not Satisfiable\n"),
   (* the last bytes of a file that has fewer are the whole file (RFC 9110, 14.1.2): this was 416, too *)
   ("GET", "/empty", range "bytes=-5", "200 Content-Type=application/octet-stream "),
   ("GET",
    "/empty",
    range "bytes=-0",
    "416 " ^ text ^ " Content-Range=bytes */0 416 Range Not Satisfiable\n"),
   (* what is no range, and several, are passed over *)
   ("GET", "/a.txt", range "bytes=4-2", "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", range "bytes=-", "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", range "bytes=2", "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", range "bytes=a-b", "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", range "bytes=0-1,3-4", "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", range "lines=0-1", "200 " ^ text ^ " 0123456789"),
   ("GET",
    "/large.bin",
    range "bytes=100000-100009",
    "206 Content-Type=application/octet-stream Content-Range=bytes 100000-100009/200000 "
    ^ String.substring (large, 100000, 10)),
   (* If-Range *)
   ("GET",
    "/a.txt",
    ("If-Range", tag) :: range "bytes=2-4",
    "206 " ^ text ^ " Content-Range=bytes 2-4/10 234"),
   ("GET",
    "/a.txt",
    ("If-Range", date) :: range "bytes=2-4",
    "206 " ^ text ^ " Content-Range=bytes 2-4/10 234"),
   ("GET", "/a.txt", ("If-Range", "\"other\"") :: range "bytes=2-4", "200 " ^ text ^ " 0123456789"),
   (* 13: what the client has *)
   ("GET", "/a.txt", [("If-None-Match", tag)], "304"),
   ("GET", "/a.txt", [("If-None-Match", "\"x\", W/" ^ tag)], "304"),
   ("GET", "/a.txt", [("If-None-Match", "*")], "304"),
   ("GET", "/a.txt", [("If-None-Match", "\"x\"")], "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", [("If-Modified-Since", date)], "304"),
   ("GET", "/a.txt", [("If-Modified-Since", "Sunday, 06-Nov-94 08:49:38 GMT")], "304"),
   ("GET",
    "/a.txt",
    [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")],
    "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", [("If-Modified-Since", "yesterday")], "200 " ^ text ^ " 0123456789"),
   ("GET",
    "/a.txt",
    [("If-None-Match", "\"x\""), ("If-Modified-Since", date)],
    "200 " ^ text ^ " 0123456789"),
   ("GET", "/a.txt", ("If-None-Match", tag) :: range "bytes=2-4", "304")]

(* Twice, since they are kept after the first time: two seconds after the last change. *)
val () = OS.Process.sleep (Time.fromMilliseconds 2100)
fun answers () =
  List.app
    (fn (method, target, headers, expected) =>
      let
        val response as {status, ...} = ask (method, target, headers)
      in
        check (method ^ " " ^ target, expected, if status = 304 then "304" else show names response)
      end)
    rows
val () = (answers (); answers ())

fun written (method, target) =
  let
    val pieces = ref []
  in
    HTTPMessage.writeResponse
      (fn p => pieces := p :: !pieces)
      {method = method, minor = 1}
      (ask (method, target, []));
    concat (List.rev (!pieces))
  end
val () =
  check ("HEAD",
         "length",
         if String.isSubstring "Content-Length: 200000\r\n" (written ("HEAD", "/large.bin")) then
           "length"
         else "none")
val () =
  check ("large",
         "the same",
         if String.isSuffix large (written ("GET", "/large.bin")) then "the same" else "other")

(* What changes is read again. *)
val () = write ("a.txt", "changed")
val () =
  check ("changed", "200 changed", show [] (ask ("GET", "/a.txt", [("If-Modified-Since", date)])))
(* More than is kept goes out, too, and descriptors are closed. *)
val () =
  List.app
    (fn i =>
      let
        val name = "f" ^ Int.toString i
      in
        (write (name, CharVector.tabulate (10000, fn _ => #"x"));
         check (name, "10004", Int.toString (size (show [] (ask ("GET", "/" ^ name, []))))))
      end)
    (List.tabulate (30, fn i => i))
fun descriptor () =
  let
    val fd = Posix.FileSys.openf ("/dev/null", Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])
  in
    (Posix.IO.close fd; SysWord.toInt (Posix.FileSys.fdToWord fd))
  end
val first = descriptor ()
val () =
  List.app
    (fn _ =>
      (ignore (written ("HEAD", "/large.bin"));
       ignore (written ("GET", "/large.bin"));
       HTTPBody.close (#body (ask ("GET", "/large.bin", [])))))
    [1, 2, 3]
val () = check ("descriptors", Int.toString first, Int.toString (descriptor ()))

(* A folder that is named `index.html` was answered by a redirection to itself with one more slash, and so on. *)
val () = OS.FileSys.mkDir (path "sub/index.html")
fun location target = show ["Location"] (ask ("GET", target, []))
val () =
  List.app (fn (target, expected) => check (target, expected, location target)) [("/sub/index.html",
                                                                                "301 Location=/sub/index.html/ 301 Moved Permanently\n"),
                                                                                ("/sub",
                                                                                "301 Location=/sub/ 301 Moved Permanently\n"),
                                                                                ("/sub/",
                                                                                "404 404 Not Found\n"),
                                                                                ("/sub/.",
                                                                                "404 404 Not Found\n"),
                                                                                ("/sub//",
                                                                                "404 404 Not Found\n")]
val () = OS.FileSys.rmDir (path "sub/index.html")

(* RFC 9110, 8.8.2.1: a date in the future goes out as that of the answer, also of a file that is kept. *)
val future = Time.+ (Time.now (), Time.fromSeconds 100000)
val () = OS.FileSys.setTime (path "a.txt", SOME future)
fun dated () =
  case HTTPDate.fromString (valOf (HTTPHeaders.get (#headers (ask ("GET", "/a.txt", []))) "last-modified")) of
    SOME time => if Time.<= (time, Time.now ()) then "not later than now" else "later"
  | NONE => "no date"
val () = List.app (fn f => check ("a date in the future", "not later than now", f ())) [dated, dated]

fun remove name = OS.FileSys.remove (path name)
val () =
  List.app remove (["a.txt", "index.html", "empty", "large.bin", "sub/b.css", "a b%.json"]
                   @ List.tabulate (30, fn i => "f" ^ Int.toString i))
val () = (OS.FileSys.rmDir (folder ^ "/sub"); OS.FileSys.rmDir folder)
val () = print "done\n"
