(* A form that is none is answered by 400, not by 500. *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val url = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener) ^ "/"
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun site request = HTTP.text 200 (Int.toString (length (HTTPForm.parts {most = 10000} request)) ^ "\n")
fun visit () =
  let
    val client = HTTPClient.client []
    fun post (kind, text) =
      print (kind ^ ": " ^ Int.toString (#status (HTTPClient.post client {url = url, kind = kind} text)) ^ "\n")
  in
    post ("application/x-www-form-urlencoded", "a=1&b=2");
    post ("text/plain", "hello");
    post ("multipart/form-data; boundary=x", "--x\r\nno form");
    SyncVar.iPut (stop, ())
  end
val _ = CML.spawn visit
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site
