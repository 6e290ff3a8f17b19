(* A redirection whose Location is a fragment only: RFC 3986, 5.2.2: the query of the base stays.
   expected: /page?id=1.   found: /page.
   Cause, lib/leat/http/address.sml, `resolve`: `query` also holds what begins with `#`, and so is taken for a new one.
   Mend (tried): http-redirect-fragment.patch. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val asked = ref 0
fun handler ({target, ...} : HTTP.request) =
  (asked := !asked + 1;
   if !asked = 1 then HTTP.withHeader ("Location", "#part") (HTTP.status 302) else HTTP.text 200 target)
val done = CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener handler)
val client = HTTPClient.client []
val {body, ...} = HTTPClient.get client (concat ["http://127.0.0.1:", Int.toString port, "/page?id=1"])
val () = print (HTTPBody.all {most = 1000} body ^ "\n")
val () = HTTPClient.close client
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
