(* A TEXT that is not UTF-8 went out, and the other side closed the connection with 1007: whoever had sent it found a
   connection that had ended, and not why. `send` raises Fail, nothing is sent, and the connection is as before. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun echo socket = Option.app (fn m => (WebSocket.send (socket, m); echo socket)) (WebSocket.receive socket)
val done =
  CML.spawn (fn () =>
    HTTPServer.serve
      [HTTPServer.StopWhen (SyncVar.iGetEvt stop)]
      listener
      (WebSocket.handler [] echo))
fun shown (SOME (WebSocket.TEXT s)) = "TEXT " ^ String.toString s
  | shown (SOME (WebSocket.BINARY s)) = "BINARY " ^ String.toString s
  | shown NONE = "the end"
fun talk socket =
  let
    fun try m =
      (WebSocket.send (socket, m); print (shown (WebSocket.receive socket) ^ "\n"))
      handle e => print (exnMessage e ^ "\n")
  in
    app try
      [WebSocket.TEXT "\195\164", WebSocket.TEXT "\164", WebSocket.TEXT "a\195", WebSocket.BINARY "\164",
       WebSocket.TEXT ""]
  end
val () =
  WebSocket.connect (HTTPClient.client []) []
    {url = concat ["ws://127.0.0.1:", Int.toString (HTTPServer.port listener), "/"],
     headers = HTTPHeaders.empty}
    talk
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
