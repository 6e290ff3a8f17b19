(* A redirection to an address with blanks, or characters beyond ASCII, is followed. *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val base = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun to place _ = HTTP.withHeader ("Location", place) (HTTP.status 302)
val site =
  HTTPRouter.router
    [HTTPRouter.on "GET" "/one" (to "/caf\195\169"),
     HTTPRouter.on "GET" "/two" (to "/search?q=a b"),
     HTTPRouter.any "/*rest" (fn (_, {target, ...} : HTTP.request) => HTTP.text 200 target)]
fun visit () =
  let
    val client = HTTPClient.client []
    fun get path =
      print (HTTPBody.all {most = 1000} (#body (HTTPClient.get client (base ^ path))) ^ "\n")
      handle e => print (exnMessage e ^ "\n")
  in
    get "/one"; get "/two"; SyncVar.iPut (stop, ())
  end
val _ = CML.spawn visit
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site
