(* Parsers of what comes from others, given texts in which words, bytes and pieces are changed at random: requests, responses,
   forms, cookies, multipart, WebSocket's frames, JSON, CSV, URLs, gzip, options, dates, regular expressions. Each gives
   a result or one of its own exceptions; a text that comes in pieces gives the same as at once; and what was read is the same
   when it was written and is read again. Words on the command line: how many texts of each kind, and a seed. *)

val (rounds, seed) =
  case List.mapPartial Int.fromString (CommandLine.arguments ()) of
    rounds :: seed :: _ => (rounds, seed)
  | _ => (60, 1)

val state = ref (Word.fromInt seed * 0w2654435761 + 0w12345)
fun below n =
  (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
   if n < 1 then 0 else Word.toInt (Word.mod (Word.>> (!state, 0w33), Word.fromInt n)))
fun pick l = List.nth (l, below (length l))

(* -- changed texts *)

fun cut (s, i, j) = String.substring (s, i, j - i)
fun once (odd, texts) s =
  let
    val n = size s
    val i = below (n + 1)
    val j = i + below (Int.min (20, n - i) + 1)
    val (front, middle, back) = (cut (s, 0, i), cut (s, i, j), cut (s, j, n))
  in
    case below 7 of
      0 => front ^ back
    | 1 => concat [front, middle, middle, back]
    | 2 => concat [front, pick odd, back]
    | 3 => concat [front, String.str (Char.chr (below 256)), middle, back]
    | 4 =>
        let
          val other = pick texts
          val k = below (size other + 1)
        in
          front ^ String.extract (other, k, NONE)
        end
    | 5 => concat [front, String.implode (List.rev (String.explode middle)), back]
    | _ => concat [front, pick odd, middle, back]
  end
fun changed (odd, texts) =
  let
    fun go (0, s) = s
      | go (k, s) = go (k - 1, once (odd, texts) s)
  in
    go (below 4, pick texts)
  end

(* A text in pieces, the last one empty. *)
fun pieces s =
  let
    val rest = ref s
  in
    fn () =>
      let
        val s = !rest
        val k = Int.min (size s, 1 + below (case below 3 of 0 => 1 | 1 => 7 | _ => 100))
      in
        rest := String.extract (s, k, NONE);
        String.substring (s, 0, k)
      end
  end

fun wrong (kind, text, why) = print (concat [kind, ": ", why, "\n  ", String.toString text, "\n"])

(* What a function makes of a text, as a text; exceptions that it may raise are texts, too, by `known`. *)
fun outcome (kind, known, f) text =
  f text
  handle e =>
      (case known e of
         SOME said => said
       | NONE => (wrong (kind, text, "raised " ^ exnMessage e); "?"))

fun each (kind, odd, texts, check) =
  let
    fun go 0 = ()
      | go k = (check (changed (odd, texts)); go (k - 1))
  in
    List.app check texts;
    go rounds
  end
fun same (kind, text, a, b, what) =
  if a = b then ()
  else wrong (kind, text, concat [what, ": ", String.toString a, " and ", String.toString b])

(* -- HTTP *)

val httpOdd =
  ["\r\n", "\n", "\r", " ", "\t", ":", ",", ";", "\000", "\255", "%", "%0a", "0",
   "ffffffffffffffff", "-1", "\"", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
   "Host: y\r\n", "HTTP/1.1", "GET", "\r\n\r\n"]
val requests =
  ["GET /a/b%20c?d=e HTTP/1.1\r\nHost: x\r\nAccept: a, b\r\n\r\n",
   "POST /f HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
   "PUT http://y:80/f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: u\r\n\r\n",
   "OPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\nHost: z\r\n\r\n"]
val responses =
  ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
   "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
   "HTTP/1.0 404\r\nSet-Cookie: a=b; Path=/\r\n\r\ngone"]
(* not why: of two mistakes the first one that is there is told *)
fun knownHTTP e =
  case e of
    HTTPMessage.Bad _ => SOME "bad"
  | HTTPMessage.Closed => SOME "closed"
  | HTTPBody.Broken _ => SOME "broken"
  | HTTPBody.TooLarge => SOME "too large"
  | _ => NONE
val limits = {header = 300, fields = 10, body = 40}
fun headersOf headers =
  String.concatWith "," (List.map (fn (n, v) => n ^ "=" ^ v) (HTTPHeaders.toList headers))
fun readRequests source =
  case HTTPMessage.readRequest limits source of
    NONE => "end"
  | SOME {method, target, path, query, host, headers, body, ...} =>
      concat [method,
              " ",
              target,
              " ",
              String.concatWith "|" path,
              " ",
              query,
              " ",
              host,
              " ",
              headersOf headers,
              " ",
              HTTPBody.all {most = 1000} body,
              " ",
              headersOf (HTTPBody.trailers body),
              "\n",
              outcome ("requests", knownHTTP, fn _ => readRequests source) ""]
fun readResponse source =
  let
    val {status, headers, body} = HTTPMessage.readResponse limits {method = "GET"} source
  in
    concat [Int.toString status, " ", headersOf headers, " ", HTTPBody.all {most = 1000} body]
  end
fun http (kind, read) text =
  same (kind,
        text,
        outcome (kind, knownHTTP, read o HTTPMessage.ofString) text,
        outcome (kind, knownHTTP, fn text => read (HTTPMessage.source (pieces text))) text,
        "in pieces")

(* -- WebSocket: what a server's connection gets of frames, and what it sends *)

fun masked (kind, key, payload) =
  let
    fun byte (s, i) = Byte.charToByte (String.sub (s, i))
    val n = size payload
    val length =
      if n < 126 then [Char.chr (128 + n)]
      else [Char.chr 254, Char.chr (n div 256), Char.chr (n mod 256)]
    fun one (i, c) = Byte.byteToChar (Word8.xorb (Byte.charToByte c, byte (key, i mod 4)))
  in
    concat [String.implode (Char.chr kind :: length), key, CharVector.mapi one payload]
  end
val (zero, key) = ("\000\000\000\000", "\055\250\033\061")
val frames =
  [masked (129, key, "Hello") ^ masked (130, zero, "\000\255"),
   masked (1, zero, "He")
   ^ masked (137, zero, "x")
   ^ masked (0, zero, "l")
   ^ masked (128, key, "lo"),
   masked (130, zero, CharVector.tabulate (200, Char.chr)) ^ masked (136, zero, "\003\232the end"),
   masked (138, zero, "") ^ masked (129, zero, "\195\164") ^ masked (136, key, "")]
val framesOdd =
  ["\129",
   "\001",
   "\128",
   "\136",
   "\137",
   "\138",
   "\254",
   "\255",
   "\000",
   "\127",
   "\128\000",
   zero,
   masked (129, zero, "a"),
   masked (136, zero, "\003\234"),
   masked (137, zero, ""),
   "\193\129",
   "\237\160\128"]
val upgrade =
  "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
  \Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
fun talk more =
  let
    val said = ref []
    fun say what s = said := what ^ s :: !said
    fun receive socket =
      case WebSocket.receive socket of
        SOME (WebSocket.TEXT s) => (say "text " s; receive socket)
      | SOME (WebSocket.BINARY s) => (say "binary " s; receive socket)
      | NONE => ()
    val handler = WebSocket.handler [WebSocket.MaxMessage 300] receive
  in
    case handler
           (valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString upgrade))) of
      {body = HTTPBody'.LIVE serve, ...} =>
        ignore (serve {input = HTTPInput'.new (fn _ => more (), fn _ => NONE),
                       send = say "sends ",
                       abort = ignore,
                       atLook = ignore,
                       atStop = fn _ => ()})
    | {status, ...} => say "status " (Int.toString status);
    String.concatWith "|" (List.rev (!said))
  end
fun webSocket text =
  let
    fun known _ = NONE
    fun atOnce text =
      let
        val rest = ref text
      in
        talk (fn () => !rest before rest := "")
      end
  in
    same ("frames",
          text,
          outcome ("frames", known, atOnce) text,
          outcome ("frames", known, fn text => talk (pieces text)) text,
          "in pieces")
  end
val () =
  same ("frames",
        "",
        talk (pieces (hd frames)),
        "text Hello|binary \000\255|sends \136\002\003\232",
        "the first")

(* -- forms *)

fun requestWith (fields, body) : HTTP.request =
  valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString (concat
                                                                             ["POST / HTTP/1.1\r\nHost: x\r\n",
                                                                              fields,
                                                                              "Content-Length: ",
                                                                              Int.toString
                                                                                (size body),
                                                                              "\r\n\r\n",
                                                                              body])))
fun form text =
  let
    val fields = HTTPForm.parse text
  in
    if HTTPForm.parse (HTTPForm.toString fields) = fields then ()
    else wrong ("form", text, "is another one when it was written")
  end
val multipart =
  "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n\
  \--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\ntwo\r\n--b--\r\n"
fun knownForm e =
  case e of
    HTTPForm.Malformed why => SOME why
  | e => knownHTTP e
fun multiparts text =
  let
    fun read text =
      concat (List.map
                (fn {name, file, kind, text} =>
                  String.concatWith "|" [name, Option.getOpt (file, "-"), kind, text])
                (HTTPForm.parts
                   {most = 1000}
                   (requestWith ("Content-Type: multipart/form-data; boundary=b\r\n", text))))
  in
    ignore (outcome ("multipart", knownForm, read) text)
  end
fun cookie text =
  ignore (outcome
            ("cookie",
             knownHTTP,
             fn text =>
               Option.getOpt
                 (HTTPCookie.get (requestWith ("Cookie: " ^ text ^ "\r\n", "")) "a", "-"))
            text)

(* -- JSON, CSV, gzip, dates *)

fun json text =
  case SOME (JSONCodec.fromString JSONCodec.json text) handle JSONCodec.Wrong _ => NONE of
    NONE => ()
  | SOME value =>
      let
        val written = JSONCodec.toString JSONCodec.json value
        val again = JSONCodec.toString JSONCodec.json (JSONCodec.fromString JSONCodec.json written)
      in
        same ("JSON", text, written, again, "written and read")
      end
fun csv text =
  case SOME (CSV.parse text) handle CSV.Malformed _ => NONE of
    NONE => ()
  | SOME table =>
      if CSV.parse (CSV.toString table) = table then ()
      else wrong ("CSV", text, "is another one when it was written")
fun url text =
  case URL.fromString text of
    NONE => ()
  | SOME u =>
      let
        val normal = URL.normalise u
        val made = URL.make (URL.parts u)
      in
        same
          ("URL", text, URL.toString normal, URL.toString (URL.normalise normal), "normal twice");
        if URL.parts made = URL.parts u
           andalso CharVector.all (fn c => c > #" " andalso c < #"\127") text
        then ()
        else wrong ("URL", text, "is another one when it was made of its parts")
      end
val plain = concat (List.tabulate (40, fn i => "line " ^ Int.toString (i * i) ^ "\n"))
val zipped =
  List.map (fn level => Gzip.compress {format = Gzip.GZIP, level = level} plain) [0, 1, 9]
fun gzip text =
  let
    fun known e =
      case e of
        Gzip.Corrupt _ => SOME "corrupt"
      | Gzip.TooLarge => SOME "too large"
      | _ => NONE
    fun inPieces text =
      let
        val next = Gzip.decompressing Gzip.GZIP (pieces text)
        fun all sofar =
          if size sofar > 5000 then raise Gzip.TooLarge
          else case next () of "" => sofar | piece => all (sofar ^ piece)
      in
        all ""
      end
  in
    same ("gzip",
          text,
          outcome ("gzip", known, Gzip.decompress {format = Gzip.GZIP, most = 5000}) text,
          outcome ("gzip", known, inPieces) text,
          "in pieces")
  end
fun date text =
  (case HTTPDate.fromString text of
     SOME t =>
       if HTTPDate.fromString (HTTPDate.toString t) = SOME t then ()
       else wrong ("date", text, "is another one")
   | NONE => ();
   case RFC3339.fromString text of
     SOME t =>
       if RFC3339.fromString (RFC3339.toString t) = SOME t then ()
       else wrong ("RFC 3339", text, "is another one")
   | NONE => ())

val options =
  let
    infix 4 **
    val op ** = Options.**
    fun about (name, short) = {name = name, short = short, env = "", help = ""}
  in
    Options.make (fn a => fn b => fn c => fn d => fn e => (a, b, c, d, e))
    ** Options.flag (about ("all", "a"))
    ** Options.value (Options.int, 1) (about ("count", "c"))
    ** Options.many Options.string (about ("name", "n"))
    ** Options.value (Options.time, Time.zeroTime) (about ("time", ""))
    ** Options.value (Options.bytes, 1) (about ("size", ""))
  end
fun words text =
  let
    fun known e = case e of Options.Wrong why => SOME why | _ => NONE
    fun read text =
      String.concatWith
        "|"
        (#2 (Options.parse (fn _ => NONE) options (String.fields (fn c => c = #" ") text)))
  in
    ignore (outcome ("options", known, read) text)
  end

(* -- regular expressions: whatever compiles is searched for, and the functions agree *)

fun expression text =
  let
    fun known e = case e of Regex.Syntax {reason, ...} => SOME reason | _ => NONE
    fun searched text =
      let
        val flags =
          List.filter
            (fn _ => below 3 = 0)
            [Regex.UNICODE, Regex.IGNORE_CASE, Regex.LINES, Regex.EXTENDED, Regex.SWAP_GREED]
        val regex = Regex.compileWith flags text
        val haystack = text ^ "aB1 \n\195\169"
        val all = Regex.findAll regex haystack
        fun agree (what, true) = ()
          | agree (what, false) = wrong ("expression", text, what)
      in
        List.app (fn m => ignore (Regex.groups m)) all;
        agree ("matches", Regex.matches regex haystack <> null all);
        agree ("split", Regex.splitN regex 1000 haystack = Regex.split regex haystack);
        agree ("replaceAll",
               Regex.replaceAll regex "" haystack = String.concat (Regex.split regex haystack));
        agree ("replaceAllWith", Regex.replaceAllWith regex Regex.text haystack = haystack);
        agree ("whole",
               case Regex.whole regex haystack of
                 SOME m => Regex.text m = haystack
               | NONE => true);
        ""
      end
  in
    ignore (outcome ("expression", known, searched) text)
  end

val () =
  (each ("requests", httpOdd, requests, http ("requests", readRequests));
   each ("response", httpOdd, responses, http ("response", readResponse));
   each ("frames", framesOdd, frames, webSocket);
   each ("form",
         ["&", "=", "+", "%", "%zz", "%00", ";"],
         ["a=b&c=d+e&f=%C3%A4", "", "a&b", "=&="],
         form);
   each ("multipart",
         ["\r\n", "--b", "--b--", "\"", ";", ":", "name=", "\\", "\r\n\r\n", "filename*=UTF-8''x"],
         [multipart, multipart ^ multipart],
         multiparts);
   each ("cookie",
         [";", "=", ",", " ", "\"", "a="],
         ["a=b; c=d", "a=\"b\"", "c=d"],
         fn text =>
           if CharVector.all (fn c => c >= #" " andalso c < #"\127") text then cookie text else ());
   each ("JSON",
         ["[", "]", "{", "}", ",", ":", "\"", "\\", "\\u", "\\ud800", "1e999", "-", "0", "nul",
          "\t", "\000", "\255", "1e-400"],
         ["{\"a\":[1,-2.5e3,true,null,\"x\\n\\u00e4\"],\"b\":{}}",
          "[[],[[]],\"\"]",
          "12345678901234567890",
          "\"\\ud83d\\ude00\""],
         json);
   each ("CSV",
         ["\"", ",", "\n", "\r\n", "\"\"", "\r"],
         ["a,b\nc,d\n", "\"a,\"\"b\"\"\",\"c\nd\"\r\n,\n", "", "\n"],
         csv);
   each ("URL",
         ["/", "//", "?", "#", "@", ":", "[", "]", "%", "%2f", "%00", "..", "/./", " ", "\\",
          ":80"],
         ["https://user:word@host.example:8443/a/../b%20c;d?e=f&g#h",
          "http://[2001:db8::7]/c=GB?one",
          "mailto:a@b.example",
          "../a/./b"],
         url);
   each ("gzip", ["\000", "\255", "\031\139"], zipped, gzip);
   each ("dates",
         [" ", ":", "-", "T", "Z", "+", "99", "GMT", "."],
         ["Sun, 06 Nov 1994 08:49:37 GMT",
          "Sunday, 06-Nov-94 08:49:37 GMT",
          "Sun Nov  6 08:49:37 1994",
          "1996-12-19T16:39:57.5-08:00"],
         date);
   each ("options",
         ["--", "-", "=", " ", "--all", "--count", "-c", "1s", "10M", "\000"],
         ["--all --count=3 -n x rest", "-ac 4 -- -n", "--time 1.5s --size=4K", "--name"],
         words);
   each ("expression",
         ["(", ")", "[", "]", "{", "}", "*", "+?", "|", "\\", "^", "$", ".", "-", "(?:", "(?P<a>", "[:alpha:]",
          "\\p{L}", "\\x{", "\\b", "\\d", "{2}", "{1,3}", "(?i)", "(?u:", "(?x)", "#", "\255", "\195\169"],
         ["(a|b)*c{2,3}?[^x-z\\d]", "(?P<y>\\d{4})-(?i:\\w+)\\b", "^\\s*[[:alpha:]_]\\w*$",
          "(?ux) \\p{Lu} [\195\160-\195\169] | \\x{e9}"],
         expression);
   print "done\n")
