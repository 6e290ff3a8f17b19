(* A folder's address without the slash at its end is redirected, and browsers take a backslash for a slash: of a handler for
   files behind a route that takes any name, /\evil.example gave Location: /\evil.example/, which a browser opens as the page
   of that host. *)
val root = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove root; OS.FileSys.mkDir root)
val handler =
  HTTPRouter.router [HTTPRouter.mount "/:site" (HTTPFiles.handler {root = root, cache = 0})]
fun ask target =
  let
    val text = concat ["GET ", target, " HTTP/1.1\r\nHost: x\r\n\r\n"]
    val request = valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text))
    val {status, headers, ...} = handler request
  in
    print (concat [Int.toString status, " ",
                   Option.getOpt (HTTPHeaders.get headers "location", "nowhere"), "\n"])
  end
val () = app ask ["/site", "/\\evil.example", "/\\\\evil.example?a=\\b"]
val () = OS.FileSys.rmDir root
