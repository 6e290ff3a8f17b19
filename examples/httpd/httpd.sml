(* httpd: a web server of static files, put together from `$(SML_LIB)/leat/http.mlb`: its server has a thread for each
   connection, a time for each phase of a request, and a bound for whatever a client sends; its files are kept in memory
   while they do not change. SIGTERM and SIGINT end it when the requests under way are answered.

   usage: leat run httpd.mlb [--port=8080] [--root=.] [--workers=1] [--patience=SECONDS] [--cache=MEGABYTES] *)

structure Options =
struct
  val port = ref 8080
  val root = ref "."
  (* bytes of files that are kept in memory *)
  val cache = ref 67108864
  (* seconds: for the next request to begin, for its header, for its body, for the client to take more of the answer *)
  val times = ref [15, 10, 30, 30]

  fun usage () =
    (TextIO.output (TextIO.stdErr,
                    "usage: httpd [--port=N] [--root=DIR] [--workers=N] [--patience=SECONDS] [--cache=MEGABYTES]\n");
     OS.Process.exit OS.Process.failure)

  fun option word =
    let
      val (name, value) = Substring.splitl (fn c => c <> #"=") (Substring.full word)
      val value = Substring.string (Substring.triml 1 value)
      fun number () =
        case (CharVector.all Char.isDigit value, Int.fromString value) of
          (true, SOME n) => n
        | _ => usage ()
    in
      case Substring.string name of
        "--port" => port := number ()
      | "--root" => root := value
      | "--patience" => times := List.map (fn _ => number ()) (!times)
      | "--cache" => cache := number () * 1048576
      | "--workers" => Thread.setWorkers (number ())
      | _ => usage ()
    end
end

val maxBody = 1048576

fun settings stop =
  let
    open HTTPServer
    val times =
      ListPair.map (fn (setting, seconds) => setting (Time.fromSeconds (Int.toLarge seconds)))
  in
    StopWhen stop
    :: MaxBody maxBody
    :: times ([IdleTime, HeaderTime, BodyTime, SendTime], !Options.times)
  end

fun run () =
  let
    val stop = HTTPServer.signals ()
    val listener = HTTPServer.listen {address = "", port = !Options.port}
    val files = HTTPFiles.handler {root = !Options.root, cache = !Options.cache}
    (* Nobody wants the body of a request. It is read all the same, so that a client is told what is wrong with it. *)
    fun handler (request as {body, ...} : HTTP.request) =
      (HTTPBody.skip {most = maxBody} body;
       files request)
  in
    print (concat ["http://localhost:", Int.toString (HTTPServer.port listener), "/\n"]);
    HTTPServer.serve (settings stop) listener handler;
    print "ended\n"
  end

val () = List.app Options.option (CommandLine.arguments ())
val () = run ()
