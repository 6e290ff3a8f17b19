(* If-Match and If-Unmodified-Since (RFC 9110, 13.1.1 and 13.1.4): 412 where the file is another one. *)

val root = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove root; OS.FileSys.mkDir root)
val name = OS.Path.concat (root, "f.txt")
val () = let val s = TextIO.openOut name in TextIO.output (s, "NEW FILE\n"); TextIO.closeOut s end
val site = HTTPFiles.handler {root = root, cache = 100000}
fun ask fields =
  let
    val text = concat (["GET /f.txt HTTP/1.1\r\nHost: x\r\n"] @ map (fn f => f ^ "\r\n") fields @ ["\r\n"])
    val {status, body, ...} = site (valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text)))
  in
    print (Int.toString status ^ " " ^ String.toString (HTTPBody.all {most = 1000} body) ^ "\n")
  end
val () = ask ["If-Match: \"old\""]
val () = ask ["If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT"]
val () = ask ["If-Match: \"old\"", "Range: bytes=4-"]
val () = (OS.FileSys.remove name; OS.FileSys.rmDir root)
