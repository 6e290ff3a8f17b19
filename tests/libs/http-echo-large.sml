(* A server that answers while the request is still sent waited for a client that reads, and the client for one that
   takes more: both hung until SendTime was over. The client reads the answer while it sends. Also what goes wrong in
   the midst: an answer that nobody wants, a body that raises, a thread that is cancelled; and an answer that is whole
   before the request. *)
open CML

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val url = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val connections = SyncVar.mVarInit 0
val over = SyncVar.iVar () : unit SyncVar.ivar
val noFields = HTTPHeaders.empty

fun echo body = HTTPBody.stream {length = NONE, next = fn () => HTTPBody.read body, close = fn () => HTTPBody.close body}
fun handler ({path, body, ...} : HTTP.request) =
  case path of
    ["echo"] => {status = 200, headers = noFields, body = echo body}
  (* reads it only after the answer has begun, and answers with its length *)
  | ["late"] =>
      let
        val pieces = ref ["begun ", Int.toString (size (HTTPBody.read body)) ^ " "]
        fun next () =
          case !pieces of
            piece :: rest => (pieces := rest; piece)
          | [] => ""
      in
        {status = 200, headers = noFields,
         body = HTTPBody.stream {length = NONE, next = next, close = fn () => HTTPBody.skip {most = 100000000} body}}
      end
  | _ => (HTTPBody.skip {most = 100000000} body; HTTP.text 200 "taken")
val server =
  spawn (fn () =>
    HTTPServer.serve [HTTPServer.MaxBody 100000000, HTTPServer.StopWhen (SyncVar.iGetEvt over)] listener handler)

val client = HTTPClient.client [HTTPClient.SendTime (Time.fromSeconds 20), HTTPClient.AnswerTime (Time.fromSeconds 20)]
val closed = SyncVar.mVarInit 0
fun count () = SyncVar.mPut (closed, SyncVar.mTake closed + 1)

(* so many bytes: byte i is a letter that i says *)
fun letters (from, n) = CharVector.tabulate (n, fn i => Char.chr (97 + (from + i) mod 23))
fun stream (total, fails) =
  let
    val at = ref 0
    fun next () =
      let
        val n = Int.min (50000, total - !at)
      in
        if !at >= fails then raise Fail "the body fails" else ();
        letters (!at, n) before at := !at + n
      end
  in
    HTTPBody.stream {length = NONE, next = next, close = count}
  end
fun ask (path, body) =
  HTTPClient.send client {method = "POST", url = url ^ path, headers = noFields, body = body}

(* reads it all and compares it *)
fun isWhole (total, body) =
  let
    fun go n =
      case HTTPBody.read body of
        "" => n = total
      | piece => piece = letters (n, size piece) andalso go (n + size piece)
  in
    go 0
  end
fun say (what, isSo) = print (concat [what, if isSo then ": yes\n" else ": no\n"])

val large = 30000000
val () = say ("30 MB, a text", isWhole (large, #body (ask ("/echo", HTTPBody.string (letters (0, large))))))
val () = say ("30 MB, a stream", isWhole (large, #body (ask ("/echo", stream (large, large + 1)))))
val () = say ("small", isWhole (1000, #body (ask ("/echo", stream (1000, 2000)))))
val () = say ("taken", HTTPBody.all {most = 10} (#body (ask ("/take", stream (large div 10, large)))) = "taken")
val () = say ("whole before the request", String.isPrefix "begun " (HTTPBody.all {most = 100} (#body (ask ("/late", stream (large div 10, large))))))

(* not wanted any more: the sending thread ends, and closes the body *)
val () =
  let
    val {body, ...} = ask ("/echo", stream (large, large + 1))
  in
    say ("some of it", size (HTTPBody.read body) > 0);
    HTTPBody.close body
  end
val () = print (Int.toString (SyncVar.mGet closed) ^ " closed\n")

(* the request's own body raises an exception, before the answer and behind its beginning *)
val () =
  (ignore (ask ("/echo", stream (large, 0))); print "no exception\n")
  handle HTTPClient.Failed {cause, ...} => print (exnMessage cause ^ "\n")
val () =
  (ignore (isWhole (large, #body (ask ("/echo", stream (large, 1000000))))); print "no exception\n")
  handle HTTPClient.Failed {cause, ...} => print (exnMessage cause ^ "\n")
val () = print (Int.toString (SyncVar.mGet closed) ^ " closed\n")

(* cancelled while the answer is read, and while it is waited for *)
val ms = Time.fromMilliseconds
fun slowly body =
  HTTPBody.stream
    {length = NONE, next = fn () => (OS.Process.sleep (ms 5); HTTPBody.read body), close = fn () => HTTPBody.close body}
val () =
  let
    val {body, ...} = ask ("/echo", slowly (stream (large, large + 1)))
    fun read () = if HTTPBody.read body = "" then () else read ()
  in
    say ("cancelled", not (isSome (Scope.within (ms 60) (fn _ => read ()))));
    say ("closed to others", (ignore (HTTPBody.read body); false) handle HTTPClient.Failed {cause = HTTPBody.Broken _, ...} => true)
  end
val never = HTTPBody.stream {length = NONE, next = fn () => sync never, close = count}
val () = say ("cancelled before it", not (isSome (Scope.within (ms 30) (fn _ => ask ("/echo", never)))))
val () = print (Int.toString (SyncVar.mGet closed) ^ " closed\n")
(* A body that ends the thread which sends it: whoever waits is told. *)
fun exiting length = HTTPBody.stream {length = length, next = fn () => exit (), close = count}
fun told f = (ignore (f ()); "no exception") handle HTTPClient.Failed _ => "failed" | Scope.Cancelled => "cancelled"
val () = print (told (fn () => ask ("/echo", exiting NONE)) ^ "\n")
val () =
  print (told (fn () =>
    sync (HTTPClient.sendEvt client
            {method = "POST", url = url ^ "/echo", headers = noFields, body = exiting (SOME 10)})) ^ "\n")
val () = say ("afterwards", isWhole (100000, #body (ask ("/echo", stream (100000, 200000)))))
val () = (HTTPClient.close client; SyncVar.iPut (over, ()); sync (joinEvt server))
val () = print "over\n"
