(* A client that keeps cookies reads their dates as RFC 6265, 5.1.1, says, and not only those of HTTP: with dashes they were taken
   for no date, so a cookie that was taken back stayed. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val base = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun setting line = HTTP.withHeader ("Set-Cookie", line) (HTTP.text 200 "")
fun site (request as {path, headers, ...} : HTTP.request) =
  case path of
    ["set"] => setting "a=1; Path=/"
  | ["until"] =>
      setting ("a=2; Path=/; Expires=" ^ valOf (HTTPForm.get (HTTPForm.query request) "date"))
  | _ => HTTP.text 200 (Option.getOpt (HTTPHeaders.get headers "cookie", "none"))
fun try date =
  let
    val client = HTTPClient.client [HTTPClient.KeepCookies]
    fun ask path = HTTPBody.all {most = 1000} (#body (HTTPClient.get client (base ^ path)))
  in
    ignore (ask "/set");
    ignore (ask ("/until?" ^ HTTPForm.toString [("date", date)]));
    print (concat [date, ": ", ask "/", "\n"]);
    HTTPClient.close client
  end
(* those of an hour that is past, or comes *)
val dashed = String.map (fn #" " => #"-" | c => c)
fun near seconds =
  let
    val text = HTTPDate.toString (Time.+ (Time.now (), Time.fromSeconds seconds))
    val client = HTTPClient.client [HTTPClient.KeepCookies]
    fun ask path = HTTPBody.all {most = 1000} (#body (HTTPClient.get client (base ^ path)))
    val date = concat [dashed (String.substring (text, 0, 16)), String.extract (text, 16, NONE)]
  in
    ignore (ask ("/until?" ^ HTTPForm.toString [("date", date)]));
    print (ask "/" ^ "\n");
    HTTPClient.close client
  end
fun visit () =
  (List.app try ["Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01-Jan-1970 00:00:00 GMT",
                 "Thu, 01-Jan-70 00:00:01 GMT", "Thu, 1 Jan 1970 0:00:00 GMT",
                 "thu 01-jan-1970 00:00:00", "Thu Jan  1 00:00:00 1970",
                 "Mon, 01-Jan-1601 00:00:00 GMT", "Fri, 31-Dec-9999 23:59:59 GMT",
                 "Thu, 01-Jan-1970", "00:00:00 01-Jan-1500", "Thu, 32-Jan-1970 00:00:00 GMT",
                 "soon"];
   near 3600;
   near ~3600;
   SyncVar.iPut (stop, ()))
val _ = CML.spawn visit
val () = HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener site
