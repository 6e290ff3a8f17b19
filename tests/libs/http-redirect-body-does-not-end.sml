(* The body of a redirection, which nobody wants: it was read for as long as each piece of it came in time, so byte by
   byte for weeks; and a cancellation meanwhile was taken for the end of the body, so the next request was sent all the
   same. *)
val listener : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 5)
val port = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))
fun urlOf path = concat ["http://127.0.0.1:", Int.toString port, path]
fun send (sock, text) =
  ignore (Socket.sendVec (sock, Word8VectorSlice.full (Byte.stringToBytes text)))

(* what has been asked for *)
val asked = Mailbox.mailbox () : string Mailbox.mbox
(* what is done when `/silent` has been answered *)
val answered = ref (fn () => ())
fun trickle sock =
  (send (sock, "1\r\nx\r\n"); OS.Process.sleep (Time.fromMilliseconds 20); trickle sock)
fun to fields = concat ["HTTP/1.1 307 x\r\nLocation: /end\r\n", fields, "\r\n\r\n"]
fun connection sock =
  case Byte.bytesToString (Socket.recvVec (sock, 1000)) of
    "" => Socket.close sock
  | request =>
      let
        val path = List.nth (String.tokens Char.isSpace request, 1)
      in
        Mailbox.send (asked, path);
        case path of
          "/slow" => (send (sock, to "Transfer-Encoding: chunked"); trickle sock)
        | "/silent" => (send (sock, to "Content-Length: 5"); !answered ())
        | _ => send (sock, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        connection sock
      end
      handle OS.SysErr _ => Socket.close sock
fun serve () =
  let
    val (sock, _) = Socket.accept listener
  in
    ignore (CML.spawn (fn () => connection sock));
    serve ()
  end
val _ = CML.spawn serve

val client = HTTPClient.client []
fun ask path =
  HTTPClient.send client {method = "PUT", url = urlOf path, headers = HTTPHeaders.empty, body = HTTPBody.string "text"}
fun text ({body, ...} : HTTP.response) = HTTPBody.all {most = 10} body
fun shown () =
  case Mailbox.recvPoll asked of SOME path => path ^ " " ^ shown () | NONE => "\n"

fun follow path =
  case Scope.within (Time.fromSeconds 20) (fn _ => text (ask path)) of
    SOME text => print (concat [path, ": ", text, ", asked: ", shown ()])
  | NONE => print (path ^ ": it does not end\n")
val () = follow "/slow"
val () = follow "/silent"

(* Two connections are kept: one for the request that is cancelled, and one that could take the next one at once. *)
val () =
  let
    val both = [ask "/a", ask "/b"]
  in
    List.app (ignore o text) both;
    ignore (shown ())
  end
exception GivenUp
val () =
  Scope.run (fn scope =>
    (* when the client waits for the body *)
    (answered := (fn () => (OS.Process.sleep (Time.fromMilliseconds 150); Scope.cancel (scope, GivenUp)));
     print (text (ask "/silent") ^ "\n")))
  handle GivenUp => print "given up, "
val () = OS.Process.sleep (Time.fromMilliseconds 100)
val () = print ("asked: " ^ shown ())
val () = HTTPClient.close client
