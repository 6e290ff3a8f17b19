(* Handlers that end in other ways than by a response or an exception that is told: by CML.exit, in the handler or in the
   function of a body, and by an exception at which the function of OnError raises one, too. The client got no answer at
   all, and nobody was told. *)

exception Mine
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val base = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun stream next =
  {status = 200,
   headers = HTTPHeaders.empty,
   body = HTTPBody.stream {length = NONE, next = next, close = fn () => print "closed\n"}}
fun handler ({path, ...} : HTTP.request) =
  case path of
    ["exit"] => CML.exit ()
  | ["exit", "deep"] => Scope.run (fn _ => Scope.run (fn _ => CML.exit ()))
  | ["exit", "stream"] => stream (fn () => CML.exit ())
  | ["exit", "later"] =>
      let
        val pieces = ref ["abc"]
      in
        stream (fn () =>
          case !pieces of p :: rest => (pieces := rest; p) | [] => CML.exit ())
      end
  | ["mine"] => raise Mine
  | ["mine", "stream"] => stream (fn () => raise Mine)
  | _ => HTTP.text 200 "fine\n"

(* What is written to standard error, too, is the output of this program. *)
val () = TextIO.setOutstream (TextIO.stdErr, TextIO.getOutstream TextIO.stdOut)
fun told (e, request : HTTP.request option) =
  (print (concat ["told of ", exnMessage e, " at ", #target (valOf request), "\n"]);
   case e of
     Mine => raise Fail "in OnError"
   | _ => ())

val client = HTTPClient.client []
fun ask path =
  let
    val {status, body, ...} = HTTPClient.get client (base ^ path)
    val text = HTTPBody.all {most = 1000} body handle HTTPClient.Failed _ => "and no end\n"
  in
    print (concat [path, ": ", Int.toString status, " ", text])
  end
fun visit () =
  (List.app ask
     ["/exit", "/exit/deep", "/exit/stream", "/exit/later", "/mine", "/mine/stream", "/other"];
   SyncVar.iPut (stop, ()))

val _ = CML.spawn visit
val () =
  HTTPServer.serve
    [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
     HTTPServer.OnError told,
     HTTPServer.HandlerTime (Time.fromSeconds 60)]
    listener
    handler
val () = print "ended\n"
