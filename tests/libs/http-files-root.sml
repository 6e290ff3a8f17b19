(* The place where a folder is mounted, without a slash, is answered by 301, and a query is kept. *)

val root = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove root; OS.FileSys.mkDir root)
val sub = OS.Path.concat (root, "sub")
val () = OS.FileSys.mkDir sub
val name = OS.Path.concat (root, "index.html")
val () = let val s = TextIO.openOut name in TextIO.output (s, "hello"); TextIO.closeOut s end
val site = HTTPRouter.router [HTTPRouter.mount "/static" (HTTPFiles.handler {root = root, cache = 100000})]
fun ask path =
  let
    val text = concat ["GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n"]
    val {status, headers, ...} = site (valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text)))
  in
    print (concat [path, ": ", Int.toString status, " ", getOpt (HTTPHeaders.get headers "location", ""), "\n"])
  end
val () = app ask ["/static/", "/static", "/static?x=1", "/static/sub?lang=is"]
val () = (OS.FileSys.remove name; OS.FileSys.rmDir sub; OS.FileSys.rmDir root)
