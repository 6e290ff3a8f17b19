(* What is no UTF-8 is replaced in the text that JSONCodec makes. *)

structure C = JSONCodec
(* GET /users/%ff *)
val request = valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString "GET /users/%ff HTTP/1.1\r\nHost: x\r\n\r\n"))
val site =
  HTTPRouter.router
    [HTTPRouter.on "GET" "/users/:name" (fn (params, _) => HTTP.json 200 (C.toString C.string (params "name")))]
val answer = HTTPBody.all {most = 1000} (#body (site request))
val () = print (String.toString answer ^ "\n")
val () = print (String.toString (C.fromString C.string answer) ^ "\n") handle e => print (C.message e ^ "\n")
