(* Gzip: what others have compressed (Python's zlib), there and back by pieces of every size, damaged and cut data, bombs;
   HTTPCompress: what is compressed for whom, and what is read back. *)

fun say s = print (s ^ "\n")
val int = Int.toString
open Gzip

fun bytes hex =
  CharVector.tabulate (size hex div 2, fn i => Char.chr (valOf (StringCvt.scanString (Int.scan StringCvt.HEX) (String.substring (hex, 2 * i, 2)))))
fun attempt f = f () handle Corrupt why => "corrupt: " ^ why | TooLarge => "too large"

val fox = "The quick brown fox jumps over the lazy dog. "
val fox3 = fox ^ fox ^ fox
(* a name; all parts that a header may have; zlib; deflate *)
val named = bytes "1f8b08080000000002ff666f782e747874000bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c310058001e0087000000"
val full = bytes "1f8b081e0000000000030400616200006e006300d44f0bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c310058001e0087000000"
val zlib = bytes "789c0bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c3100f93c3076"
val raw = bytes "0bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c3100"
fun back (format, data) = attempt (fn () => decompress {format = format, most = 1000} data)
val () = List.app (fn x => say (Bool.toString (back x = fox3))) [(GZIP, named), (GZIP, full), (ZLIB, zlib), (DEFLATE, raw)]
val () = say (Bool.toString (back (GZIP, named ^ full) = fox3 ^ fox3))
val () = List.app (say o back)
  [(GZIP, zlib), (ZLIB, named), (DEFLATE, named), (GZIP, ""), (ZLIB, ""), (DEFLATE, ""), (GZIP, named ^ "x"), (ZLIB, zlib ^ "x"),
   (DEFLATE, raw ^ "x")]

(* cut anywhere, nothing is taken; changed anywhere, the frame's check sum tells *)
val all = [(GZIP, named), (GZIP, full), (ZLIB, zlib), (DEFLATE, raw)]
fun isWrong (format, data) = String.isPrefix "corrupt" (back (format, data))
val () = List.app (fn (format, data) =>
    say (Bool.toString (List.all (fn n => isWrong (format, String.substring (data, 0, n))) (List.tabulate (size data, fn i => i)))))
  all
fun changed (data, i) = CharVector.mapi (fn (j, c) => if i = j then Char.chr ((Char.ord c + 1) mod 256) else c) data
val () =
  say (Bool.toString (List.all (fn i => isWrong (ZLIB, changed (zlib, i))) (List.tabulate (size zlib, fn i => i))))

(* there and back, as a whole and by pieces *)
val seed = ref 0w7
fun random n = (seed := Word.andb (0w1103515245 * !seed + 0w12345, 0wx7FFFFFFF); Word.toInt (Word.>> (!seed, 0w8)) mod n)
fun text n = CharVector.tabulate (n, fn _ => if random 3 = 0 then Char.chr (random 256) else #"a")
fun pieces (text, most) =
  let
    val at = ref 0
  in
    fn () =>
      let val n = Int.min (1 + random most, size text - !at)
      in String.substring (text, !at, n) before at := !at + n end
  end
fun gather next = let fun go l = case next () of "" => concat (rev l) | s => go (s :: l) in go [] end
fun both (format, level, flush, n, most) =
  let
    val t = text n
    val there = gather (compressing {format = format, level = level, flush = flush} (pieces (t, most)))
  in
    gather (decompressing format (pieces (there, most))) = t
    andalso decompress {format = format, most = n} (compress {format = format, level = level} t) = t
  end
val () =
  say (Bool.toString (List.all both
    [(GZIP, 6, false, 5000, 700), (GZIP, 1, true, 300, 20), (ZLIB, 9, false, 5000, 700), (ZLIB, 6, true, 300, 20), (DEFLATE, 0, false, 5000, 100),
     (DEFLATE, 6, true, 300, 1), (GZIP, 6, false, 0, 1), (ZLIB, 6, true, 0, 1), (DEFLATE, 6, false, 1, 1), (GZIP, 0, false, 90000, 50000)]))
val () = (ignore (compress {format = GZIP, level = 10} "") handle Size => say "Size")

(* what has been flushed can be read, though more follows *)
val queue = ref []
val w = writer {format = GZIP, level = 6} (fn piece => queue := !queue @ [piece])
exception Empty
val next = decompressing GZIP (fn () => case !queue of [] => raise Empty | s :: rest => (queue := rest; s))
fun read () = let val s = next () in s ^ read () end handle Empty => ""
val () = (write (w, "first"); flush w; say (read ()); write (w, "second"); write (w, " third"); flush w; say (read ()))
val () = (finish w; say (read () handle Corrupt why => why))
val () = say (attempt (fn () => (write (w, "more"); "taken")))

(* 10 MB in 10 KB, of which no more is made than is taken *)
val bomb = compress {format = GZIP, level = 9} (CharVector.tabulate (1000000, fn _ => #"\000"))
val () = say (Bool.toString (size bomb < 2000) ^ " " ^ attempt (fn () => decompress {format = GZIP, most = 50000} (concat (List.tabulate (50, fn _ => bomb)))))

(* many streams that nobody ends: the collector does *)
val () = List.app (fn _ => ignore (decompressing GZIP (fn () => named) ())) (List.tabulate (50, fn i => i))

(* -- HTTP *)

val long = concat (List.tabulate (60, fn i => fox ^ int i))
fun streamed pieces =
  let val left = ref pieces
  in HTTPBody.stream {length = NONE, next = fn () => (case !left of [] => "" | s :: rest => (left := rest; s)), close = fn () => say "closed"} end
fun site ({path, ...} : HTTP.request) =
  case path of
    ["long"] => HTTP.withHeader ("ETag", "\"1\"") (HTTP.text 200 long)
  | ["short"] => HTTP.text 200 "short"
  | ["image"] => HTTP.content 200 {kind = "image/png"} long
  | ["json"] => HTTP.content 200 {kind = "application/problem+json; a=b"} long
  | ["packed"] => HTTP.withHeader ("Content-Encoding", "br") (HTTP.text 200 long)
  | ["kept"] => HTTP.withHeader ("Cache-Control", "no-transform") (HTTP.text 200 long)
  | ["vary"] => HTTP.withHeader ("Vary", "Cookie, Accept-Encoding") (HTTP.text 200 long)
  | ["part"] => HTTP.text 206 long
  | ["stream"] => {status = 200, headers = HTTPHeaders.fromList [("Content-Type", "text/event-stream")], body = streamed ["one", "two"]}
  | _ => HTTP.status 404
fun request (path, fields, body) =
  valOf (HTTPMessage.readRequest HTTPMessage.limits
    (HTTPMessage.ofString (concat ["POST /", path, " HTTP/1.1\r\nHost: x\r\nContent-Length: ", int (size body), "\r\n", concat (List.map (fn f => f ^ "\r\n") fields), "\r\n", body])))
fun visit (path, accept) =
  let
    val response as {status, headers, body} =
      HTTPCompress.responses [] site (request (path, case accept of "" => [] | a => ["Accept-Encoding: " ^ a], ""))
    val length = HTTPBody.length body
    fun field name = case HTTPHeaders.get headers name of SOME v => concat [" ", name, "=", v] | NONE => ""
    val text = HTTPBody.all {most = 100000} (#body (HTTPCompress.decoded {most = 100000} response))
  in
    say (concat [path, " [", accept, "] ", int status, field "content-encoding", field "vary", field "etag",
                 case length of SOME n => if n < size text then " shorter" else " same" | NONE => " stream", " ",
                 if text = long then "long" else text])
  end
val () = List.app visit
  [("long", "gzip"), ("long", ""), ("long", "br, *;q=0.1"), ("long", "gzip;q=0"), ("long", "gzip;q=0.0, *"), ("long", "GZIP;q=0.5, br"),
   ("long", "*;q=0"), ("short", "gzip"), ("image", "gzip"), ("json", "x-gzip"), ("packed", "gzip"), ("kept", "gzip"), ("vary", "gzip"),
   ("part", "gzip"), ("stream", "gzip")]
val size' = HTTPCompress.responses [HTTPCompress.MinSize 1, HTTPCompress.Kinds (fn k => k = "text/plain"), HTTPCompress.Level 9] site
val () = say (Bool.toString (isSome (HTTPHeaders.get (#headers (size' (request ("short", ["Accept-Encoding: gzip"], "")))) "content-encoding")))

(* requests *)
fun echo ({headers, body, ...} : HTTP.request) =
  HTTP.text 200 (Bool.toString (isSome (HTTPHeaders.get headers "content-encoding")) ^ " " ^ HTTPBody.all {most = 1000} body)
fun post (coding, body) =
  let val {status, body, ...} = HTTPCompress.requests {most = 200} echo (request ("", case coding of "" => [] | c => ["Content-Encoding: " ^ c], body))
  in say (concat ["[", coding, "] ", int status, " ", HTTPBody.all {most = 1000} body]) end
val () = List.app post
  [("", "as it is"), ("gzip", named), ("deflate", zlib), ("identity", "x"), ("br", "x"), ("gzip", String.substring (named, 0, 30)),
   ("gzip", compress {format = GZIP, level = 6} (long)), ("gzip", "")]

(* over a connection *)
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val stop = SyncVar.iVar ()
val () = Scope.run (fn scope =>
  let
    val served = Scope.fork scope (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (HTTPCompress.responses [] site))
    val client = HTTPClient.client []
    fun ask (most, path) =
      let
        val {headers, body, ...} =
          HTTPCompress.send {most = most} client
            {method = "GET", url = concat ["http://127.0.0.1:", int (HTTPServer.port listener), "/", path], headers = HTTPHeaders.empty, body = HTTPBody.empty}
        val text = HTTPBody.all {most = 100000} body handle HTTPClient.Failed {cause = HTTPBody.TooLarge, ...} => "too large"
      in
        say (if text = long then "long" else text)
      end
  in
    List.app ask [(100000, "long"), (100, "long"), (100000, "stream"), (100000, "image")];
    HTTPClient.close client;
    SyncVar.iPut (stop, ());
    CML.sync served
  end)

(* Too short for a frame, and of another format: it was said to end too early. *)
val () = List.app (say o back) [(GZIP, "hello"), (GZIP, "{\"a\":1}"), (GZIP, "\031\139\008")]

(* A match from before the beginning of the data gave zeros, in every format: "a", and then three bytes at a distance of four.
   zlib says "invalid distance too far back". The check sums of the frames are those of "a" and three zeros. *)
val far = bytes "4b046200"
val () = List.app (fn (format, data) =>
    (say (back (format, data)); say (attempt (fn () => gather (decompressing format (pieces (data, 1)))))))
  [(DEFLATE, far), (ZLIB, bytes "789c" ^ far ^ bytes "01880062"), (GZIP, bytes "1f8b0800000000000003" ^ far ^ bytes "7a4fdea204000000")]
