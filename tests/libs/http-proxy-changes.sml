(* A client whose function Proxy changes its answer: a connection that was kept was known by the host alone, so the next
   request went over it to the proxy before, with the name and the password of the new one; or to the host itself, with
   the target and the password that were meant for a proxy. *)
fun server name =
  let
    val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
    fun handler ({host, headers, ...} : HTTP.request) =
      let
        val user =
          case HTTPHeaders.get headers "proxy-authorization" of
            SOME said =>
              Byte.bytesToString (Base64.decode (String.extract (said, size "Basic ", NONE)))
          | NONE => "nobody"
      in
        print (concat [name, " is asked by ", user, "\n"]);
        HTTP.text 200 host
      end
  in
    (* the program's end is that of the servers *)
    ignore (CML.spawn (fn () => HTTPServer.serve [] listener handler));
    Int.toString (HTTPServer.port listener)
  end
val host = server "the host"
val (first, second) = (server "the first proxy", server "the second proxy")

val proxy = ref NONE : string option ref
val client = HTTPClient.client [HTTPClient.Proxy (fn _ => !proxy)]
fun ask by =
  (proxy := by;
   ignore (HTTPBody.all {most = 100} (#body (HTTPClient.get client (concat ["http://127.0.0.1:", host, "/"])))))
fun by (user, port) = SOME (concat ["http://", user, "@127.0.0.1:", port])
val () = ask (by ("a:one", first))
val () = ask (by ("b:two", second))
val () = ask NONE
val () = ask (by ("a:one", first))
(* the same proxy for somebody else *)
val () = ask (by ("c:three", first))
val () = ask NONE
