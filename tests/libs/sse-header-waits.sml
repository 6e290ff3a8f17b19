(* The header of a stream of events goes out when the handler has returned, and does not wait for the first of them. *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val url = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener) ^ "/events"
val stop = SyncVar.iVar () : unit SyncVar.ivar
val began = SyncVar.iVar () : unit SyncVar.ivar
val messages = CML.channel () : string CML.chan
fun site _ =
  {status = 200,
   headers = HTTPHeaders.fromList [("Content-Type", "text/event-stream")],
   body = HTTPBody.stream {length = NONE, next = fn () => CML.recv messages, close = fn () => ()}}
fun visit () =
  let
    val client = HTTPClient.client [HTTPClient.AnswerTime (Time.fromSeconds 20)]
  in
    (let val {status, body, ...} = HTTPClient.get client url
     in
       SyncVar.iPut (began, ());
       print (Int.toString status ^ " " ^ HTTPBody.read body ^ "\n")
     end
     handle e => print (exnMessage e ^ "\n"));
    SyncVar.iPut (stop, ())
  end
val _ = CML.spawn visit
(* the first event comes when the client has the header *)
val _ = CML.spawn (fn () => (SyncVar.iGet began; CML.send (messages, "data: hello\n\n")))
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop), HTTPServer.GraceTime Time.zeroTime] listener site
