(* The body of a request that fails before it is sent is closed. *)
fun say s = print (s ^ "\n")
val closed = ref false
val client = HTTPClient.client []
fun body () = HTTPBody.stream {length = NONE, next = fn () => "", close = fn () => closed := true}
fun try url =
  (closed := false;
   ignore (HTTPClient.send client {method = "PUT", url = url, headers = HTTPHeaders.empty, body = body ()}))
  handle e => say (concat [exnMessage e, ": ", if !closed then "closed" else "not closed"])
val () = try "http://127.0.0.1:1/"
val () = try "http:nothing"
