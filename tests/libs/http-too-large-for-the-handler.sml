(* A body that is longer than the handler takes is answered by 413. It was 500, and OnError was told, where the handler
   did not read the request's own body but what was made of it, and that had been read to its end: a few compressed
   bytes that stand for many, and the fields of a form. *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val url = concat ["http://127.0.0.1:", Int.toString (HTTPServer.port listener), "/"]
val stop = SyncVar.iVar () : unit SyncVar.ivar
val most = {most = 100}
fun all ({body, ...} : HTTP.request) = ignore (HTTPBody.all most body)
fun trailed ({body, ...} : HTTP.request) =
  ignore (HTTPBody.all
            most
            (HTTPBody.withTrailers {names = ["A"], fields = fn () => HTTPHeaders.empty} body))
fun form request =
  HTTPForm.each {most = 1000} request (fn {body, ...} => ignore (HTTPBody.all most body))
(* that of another body is none of the client *)
fun other ({body, ...} : HTTP.request) =
  (ignore (HTTPBody.all {most = 10000} body);
   ignore (HTTPBody.all most (HTTPBody.string (CharVector.tabulate (101, fn _ => #"x")))))
fun handler (request as {path, ...} : HTTP.request) =
  ((case path of
      ["all"] => all request
    | ["skip"] => HTTPBody.skip most (#body request)
    | ["trailed"] => trailed request
    | ["form"] => form request
    | _ => other request);
   HTTP.text 200 "")
fun told (e, _) = print ("OnError: " ^ exnName e ^ "\n")
val client = HTTPClient.client []
fun post (path, fields, text) =
  let
    val {status, body, ...} =
      HTTPClient.send client {method = "POST",
                              url = url ^ path,
                              headers = HTTPHeaders.fromList fields,
                              body = HTTPBody.string text}
  in
    HTTPBody.skip {most = 1000} body;
    print (concat [path, ": ", Int.toString status, "\n"])
  end
fun x n = CharVector.tabulate (n, fn _ => #"x")
fun zipped text = Gzip.compress {format = Gzip.GZIP, level = 9} text
val coded = [("Content-Encoding", "gzip")]
fun multipart n =
  let
    val {kind, text} =
      HTTPForm.multipart [{name = "a", file = SOME "f", kind = "", text = "a"},
                          {name = "b", file = SOME "g", kind = "", text = x n}]
  in
    ([("Content-Type", kind)], text)
  end
fun fields n = ([("Content-Type", "application/x-www-form-urlencoded")], "a=" ^ x n)
fun visit () =
  (List.app (fn path =>
     (post (path, [], x 100);
      post (path, [], x 101);
      post (path, coded, zipped (x 100));
      post (path, coded, zipped (x 200));
      post (path, coded, zipped (x 20000)))) ["all", "skip", "trailed"];
   List.app (fn make =>
     List.app (fn n =>
       let
         val (said, text) = make n
       in
         post ("form", said, text);
         post ("form", said @ coded, zipped text)
       end) [100, 101]) [multipart, fields];
   post ("other", [], "");
   SyncVar.iPut (stop, ()))
val _ = CML.spawn visit
val () =
  HTTPServer.serve
    [HTTPServer.StopWhen (SyncVar.iGetEvt stop), HTTPServer.OnError told]
    listener
    (HTTPCompress.requests {most = 100000} handler)
