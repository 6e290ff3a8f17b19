(* A handler that handles all exceptions, and so also the one that cancels it when HandlerTime is over: its page was sent
   late, with 200, where the client is to get 503. The body of a response that is not sent is closed. *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val base = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun stream text =
  {status = 200,
   headers = HTTPHeaders.empty,
   body =
     HTTPBody.stream {length = NONE,
                      next =
                        let val left = ref text in fn () => !left before left := "" end,
                      close = fn () => print ("closed " ^ text ^ "\n")}}
fun handler ({path, ...} : HTTP.request) =
  case path of
    ["late"] => ((OS.Process.sleep (Time.fromSeconds 60) handle _ => ()); HTTP.text 200 "a page")
  | ["late", "stream"] =>
      ((OS.Process.sleep (Time.fromSeconds 60) handle _ => ()); stream "late")
  | _ => HTTP.status 404

fun ask path =
  let
    val {status, body, ...} = HTTPClient.get (HTTPClient.client []) (base ^ path)
  in
    print (concat [path, ": ", Int.toString status, " ", HTTPBody.all {most = 1000} body])
  end
fun client () = (List.app ask ["/late", "/late/stream"]; SyncVar.iPut (stop, ()))
val _ = CML.spawn client
val () =
  HTTPServer.serve
    [HTTPServer.StopWhen (SyncVar.iGetEvt stop), HTTPServer.HandlerTime (Time.fromMilliseconds 200)]
    listener
    handler
val () = print "ended\n"
