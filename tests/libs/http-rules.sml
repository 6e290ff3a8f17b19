(* What RFC 9110 and RFC 9112 require of who reads and writes messages, a row for each requirement: what comes, and what
   is made of it. Every row is read at once, byte by byte, and in pieces of other sizes, with the same result: a parser
   that looks at what has come so far is easily wrong where a piece ends. The same is asked of rows with bytes changed
   at random. *)

val spelt = String.translate (fn #"~" => "\r\n" | #"^" => "Host: x\r\n" | c => String.str c)

(* Pieces of so many bytes. *)
fun inPieces n text =
  let
    val at = ref 0
  in
    HTTPMessage.source (fn () =>
      let
        val piece = String.substring (text, !at, Int.min (n (), size text - !at))
      in
        (at := !at + size piece; piece)
      end)
  end

val limits = {header = 400, fields = 10, body = 40}

fun outcome f =
  f ()
  handle HTTPMessage.Bad (status, _) => Int.toString status
       | HTTPMessage.Closed => "cut"
       | HTTPBody.Broken _ => "broken"
       | HTTPBody.TooLarge => "large"

(* All requests that a text is, each with its path and its body, and how it ends. *)
fun requests source =
  let
    fun show ({method, target, host, body, ...} : HTTP.request) =
      let
        val all = HTTPBody.all {most = 1000} body
      in
        concat [method,
                " ",
                target,
                if host = "x" then "" else "@" ^ host,
                if all = "" then "" else " " ^ all,
                "|"]
      end
    val shown = ref ""
    fun go () =
      case HTTPMessage.readRequest limits source of
        NONE => !shown
      | SOME request => (shown := !shown ^ show request; go ())
  in
    let val ending = outcome (fn () => (ignore (go ()); "")) in !shown ^ ending end
  end

fun response method source =
  outcome (fn () =>
    let
      val {status, body, ...} = HTTPMessage.readResponse limits {method = method} source
    in
      concat [Int.toString status, " ", HTTPBody.all {most = 1000} body]
    end)

(* the rule, what comes, what is made of it *)
val requestRows =
  [
   (* -- 9112: 2.1, 2.2 message format *)
   ("2.2 a request", "GET / HTTP/1.1~^~", "GET /|"),
   ("2.2 nothing", "", ""),
   ("2.2 empty lines before the request line are passed over", "~~GET / HTTP/1.1~^~", "GET /|"),
   ("2.2 but not many", "~~~~~~~~~GET / HTTP/1.1~^~", "400"),
   ("2.2 and nothing but empty lines is no request", "~~", ""),
   ("2.2 a bare LF ends no line", "GET / HTTP/1.1\n^~", "400"),
   ("2.2 nor the header", "GET / HTTP/1.1~^\n", "400"),
   ("2.2 a bare CR is no blank", "GET / HTTP/1.1~^A: b\rc~~", "400"),
   ("2.2 nor at the end of a line", "GET / HTTP/1.1\r~^~", "400"),
   ("2.2 no blank between request line and fields", "GET / HTTP/1.1~ A: b~^~", "400"),
   ("2.2 a header that ends too early", "GET / HTTP/1.1~Host: x", "cut"),
   ("2.2 or in the middle of its end", "GET / HTTP/1.1~^\r", "cut"),
   (* -- 2.3 version *)
   ("2.3 versions are of capital letters", "GET / http/1.1~^~", "400"),
   ("2.3 and two digits", "GET / HTTP/1.10~^~", "400"),
   ("2.3 and a dot", "GET / HTTP/1,1~^~", "400"),
   ("2.3 another major version", "GET / HTTP/2.0~^~", "505"),
   ("2.3 or an earlier one", "GET / HTTP/0.9~^~", "505"),
   ("2.3 a later minor version is 1.1", "GET / HTTP/1.9~^~", "GET /|"),
   ("2.3 HTTP/0.9 has none", "GET /~~", "400"),
   (* -- 3 request line *)
   ("3 two blanks", "GET  / HTTP/1.1~^~", "400"),
   ("3 a blank at the end", "GET / HTTP/1.1 ~^~", "400"),
   ("3 a blank before", " GET / HTTP/1.1~^~", "400"),
   ("3 a tab is no blank", "GET\t/ HTTP/1.1~^~", "400"),
   ("3 a blank in the target", "GET /a b HTTP/1.1~^~", "400"),
   ("3 more than is taken",
    "GET /" ^ CharVector.tabulate (500, fn _ => #"a") ^ " HTTP/1.1~^~",
    "414"),
   ("3.1 methods are tokens", "G(T / HTTP/1.1~^~", "400"),
   ("3.1 with their case", "get / HTTP/1.1~^~", "get /|"),
   ("3.1 any that are", "M-SEARCH / HTTP/1.1~^~", "M-SEARCH /|"),
   ("3.2 a control character in a target", "GET /\001 HTTP/1.1~^~", "400"),
   ("3.2 a byte that no address has", "GET /\200 HTTP/1.1~^~", "400"),
   ("3.2 a fragment", "GET /#a HTTP/1.1~^~", "400"),
   ("3.2 a path without a slash", "GET a HTTP/1.1~^~", "400"),
   ("3.2 a host must be there", "GET / HTTP/1.1~~", "400"),
   ("3.2 but in 1.0", "GET / HTTP/1.0~~", "GET /@|"),
   ("3.2 once", "GET / HTTP/1.1~^^~", "400"),
   ("3.2 also if it is the same in small letters", "GET / HTTP/1.1~^host: x~~", "400"),
   ("3.2 and be one", "GET / HTTP/1.1~Host: a b~~", "400"),
   ("3.2 without a user", "GET / HTTP/1.1~Host: a@b~~", "400"),
   ("3.2 without a path", "GET / HTTP/1.1~Host: a/b~~", "400"),
   ("3.2 not two with a comma", "GET / HTTP/1.1~Host: a, b~~", "400"),
   ("3.2 with a port", "GET / HTTP/1.1~Host: a:80~~", "GET /@a:80|"),
   ("3.2 an address in brackets", "GET / HTTP/1.1~Host: [::1]:80~~", "GET /@[::1]:80|"),
   ("3.2 empty if there is none", "GET / HTTP/1.1~Host:~~", "GET /@|"),
   ("3.2.2 a whole address, whose host counts", "GET http://a:1/b?c HTTP/1.1~^~", "GET /b?c@a:1|"),
   ("3.2.2 without a path", "GET HTTP://a?c HTTP/1.1~^~", "GET /?c@a|"),
   ("3.2.2 of another scheme", "GET ftp://a/ HTTP/1.1~^~", "400"),
   ("3.2.2 without a host", "GET http:///a HTTP/1.1~^~", "400"),
   ("3.2.2 with a user", "GET http://u@a/ HTTP/1.1~^~", "400"),
   ("3.2.3 CONNECT has a host and a port", "CONNECT a:1 HTTP/1.1~^~", "CONNECT a:1@a:1|"),
   ("3.2.3 both", "CONNECT a HTTP/1.1~^~", "400"),
   ("3.2.3 and no path", "CONNECT / HTTP/1.1~^~", "400"),
   ("3.2.3 and a port that is a number", "CONNECT a:b HTTP/1.1~^~", "400"),
   ("3.2.3 only CONNECT has", "GET a:1 HTTP/1.1~^~", "400"),
   ("3.2.4 OPTIONS may ask for all", "OPTIONS * HTTP/1.1~^~", "OPTIONS *|"),
   ("3.2.4 others not", "GET * HTTP/1.1~^~", "400"),
   ("9110 4.2: a `%` has two digits", "GET /%4 HTTP/1.1~^~", "400"),
   ("9110 4.2: hexadecimal ones", "GET /%4g HTTP/1.1~^~", "400"),
   (* -- 5 fields *)
   ("5 blanks around a value", "GET / HTTP/1.1~Host: \t x \t ~~", "GET /|"),
   ("5 no blank is needed", "GET / HTTP/1.1~Host:x~~", "GET /|"),
   ("5 a line without a colon", "GET / HTTP/1.1~^A~~", "400"),
   ("5 an empty name", "GET / HTTP/1.1~^: a~~", "400"),
   ("5 a name that is no token", "GET / HTTP/1.1~^A(: a~~", "400"),
   ("5 a byte above 127 in a name", "GET / HTTP/1.1~^\195\164: a~~", "400"),
   ("5 and in a value", "GET / HTTP/1.1~^A: \195\164~~", "GET /|"),
   ("5.1 no blank before the colon", "GET / HTTP/1.1~Host : x~~", "400"),
   ("5.1 nor a tab", "GET / HTTP/1.1~Host\t: x~~", "400"),
   ("5.2 no folded lines", "GET / HTTP/1.1~^A: b~ c~~", "400"),
   ("5.2 with a tab neither", "GET / HTTP/1.1~^A: b~\tc~~", "400"),
   ("9110 5.5: no NUL in a value", "GET / HTTP/1.1~^A: \000~~", "400"),
   ("9110 5.5: nor DEL", "GET / HTTP/1.1~^A: \127~~", "400"),
   ("9110 5.5: nor another control character", "GET / HTTP/1.1~^A: \027~~", "400"),
   ("9110 5.4: a header that is too long",
    "GET / HTTP/1.1~^A: " ^ CharVector.tabulate (500, fn _ => #"a") ^ "~~",
    "431"),
   ("9110 5.4: too many fields",
    "GET / HTTP/1.1~^" ^ concat (List.tabulate (10, fn _ => "A: b~")) ^ "~",
    "431"),
   ("9110 5.4: as many as are taken",
    "GET / HTTP/1.1~^" ^ concat (List.tabulate (9, fn _ => "A: b~")) ^ "~",
    "GET /|"),
   (* -- 6 bodies *)
   ("6.2 a length",
    "POST / HTTP/1.1~^Content-Length: 3~~abcGET /b HTTP/1.1~^~",
    "POST / abc|GET /b|"),
   ("6.2 zero", "POST / HTTP/1.1~^Content-Length: 0~~GET /b HTTP/1.1~^~", "POST /|GET /b|"),
   ("6.2 a length with a sign", "POST / HTTP/1.1~^Content-Length: +3~~abc", "400"),
   ("6.2 a negative one", "POST / HTTP/1.1~^Content-Length: -3~~abc", "400"),
   ("6.2 of no digits", "POST / HTTP/1.1~^Content-Length:~~abc", "400"),
   ("6.2 with a blank in it", "POST / HTTP/1.1~^Content-Length: 1 2~~abc", "400"),
   ("6.2 in hexadecimal digits", "POST / HTTP/1.1~^Content-Length: 0x3~~abc", "400"),
   ("6.2 with a letter behind", "POST / HTTP/1.1~^Content-Length: 3a~~abc", "400"),
   ("6.2 more than is taken", "POST / HTTP/1.1~^Content-Length: 41~~", "413"),
   ("6.2 as much as is taken", "POST / HTTP/1.1~^Content-Length: 1~~a", "POST / a|"),
   ("6.2 more than an int has",
    "POST / HTTP/1.1~^Content-Length: 99999999999999999999999~~",
    "413"),
   ("6.2 a body that ends too early", "POST / HTTP/1.1~^Content-Length: 3~~ab", "broken"),
   ("6.3 two lengths", "POST / HTTP/1.1~^Content-Length: 3~Content-Length: 4~~abcd", "400"),
   ("6.3 also equal ones", "POST / HTTP/1.1~^Content-Length: 3~content-length: 3~~abc", "400"),
   ("6.3 in one field", "POST / HTTP/1.1~^Content-Length: 3, 3~~abc", "400"),
   ("6.3 a length and chunks",
    "POST / HTTP/1.1~^Content-Length: 3~Transfer-Encoding: chunked~~0~~",
    "400"),
   ("6.3 in the other order",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~Content-Length: 3~~0~~",
    "400"),
   ("6.3 no length is no body", "POST / HTTP/1.1~^~GET /b HTTP/1.1~^~", "POST /|GET /b|"),
   ("6.1 chunks",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3~abc~2~de~0~~GET /b HTTP/1.1~^~",
    "POST / abcde|GET /b|"),
   ("6.1 in capital letters", "POST / HTTP/1.1~^Transfer-Encoding: CHUNKED~~0~~", "POST /|"),
   ("6.1 in HTTP/1.0", "POST / HTTP/1.0~Transfer-Encoding: chunked~~0~~", "400"),
   ("6.1 twice", "POST / HTTP/1.1~^Transfer-Encoding: chunked, chunked~~0~~", "400"),
   ("6.1 in two fields",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~Transfer-Encoding: chunked~~0~~",
    "400"),
   ("6.1 not the last", "POST / HTTP/1.1~^Transfer-Encoding: chunked, gzip~~0~~", "400"),
   ("6.1 behind another coding", "POST / HTTP/1.1~^Transfer-Encoding: gzip, chunked~~0~~", "501"),
   ("6.1 an unknown coding alone", "POST / HTTP/1.1~^Transfer-Encoding: identity~~0~~", "400"),
   ("6.1 a word that looks like it", "POST / HTTP/1.1~^Transfer-Encoding: xchunked~~0~~", "400"),
   ("6.1 in quotes", "POST / HTTP/1.1~^Transfer-Encoding: \"chunked\"~~0~~", "400"),
   ("6.1 a vertical tab before", "POST / HTTP/1.1~^Transfer-Encoding: \011chunked~~0~~", "400"),
   ("6.1 a parameter", "POST / HTTP/1.1~^Transfer-Encoding: chunked;a~~0~~", "400"),
   ("6.1 nothing", "POST / HTTP/1.1~^Transfer-Encoding:~~", "400"),
   (* -- 7.1 chunks *)
   ("7.1 hexadecimal digits of both cases",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~a~0123456789~A~0123456789~0~~",
    "POST / 01234567890123456789|"),
   ("7.1 zeros before",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~003~abc~000~~",
    "POST / abc|"),
   ("7.1 no digit", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~~abc~0~~", "broken"),
   ("7.1 a sign", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~+3~abc~0~~", "broken"),
   ("7.1 a prefix", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0x3~abc~0~~", "broken"),
   ("7.1 an underscore", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~1_0~abc~0~~", "broken"),
   ("7.1 a blank before", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~ 3~abc~0~~", "broken"),
   ("7.1 a bare LF", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3\nabc~0~~", "broken"),
   ("7.1 longer than it says", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~2~abc~0~~", "broken"),
   ("7.1 shorter than it says", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~4~abc~0~~", "broken"),
   ("7.1 a bare LF behind it", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3~abc\n0~~", "broken"),
   ("7.1 more than is taken, in one", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~29~", "large"),
   ("7.1 more than is taken, in several",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~14~01234567890123456789~15~",
    "large"),
   ("7.1 more than an int has",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~fffffffffffffffffff~",
    "large"),
   ("7.1 no last chunk", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3~abc~", "broken"),
   ("7.1 no end behind it", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3~abc~0~", "broken"),
   ("7.1.1 extensions are passed over",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3;a=b;c=\"d\"~abc~0 ;e~~",
    "POST / abc|"),
   ("7.1.1 a bare LF in one",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3;a\nb~abc~0~~",
    "broken"),
   ("7.1.1 a bare CR in one",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3;a\rb~abc~0~~",
    "broken"),
   ("7.1.1 something else than one",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3 a~abc~0~~",
    "broken"),
   ("7.1.1 one that is too long",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~3;"
    ^ CharVector.tabulate (500, fn _ => #"a")
    ^ "~abc~0~~",
    "broken"),
   ("7.1.2 trailers are passed over",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0~A: b~C: d~~GET /b HTTP/1.1~^~",
    "POST /|GET /b|"),
   ("7.1.2 fields only", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0~A b~~", "broken"),
   ("7.1.2 not folded", "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0~A: b~ c~~", "broken"),
   ("7.1.2 not too many",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0~"
    ^ concat (List.tabulate (11, fn _ => "A: b~"))
    ^ "~",
    "431"),
   ("7.1.2 not too long",
    "POST / HTTP/1.1~^Transfer-Encoding: chunked~~0~A: "
    ^ CharVector.tabulate (500, fn _ => #"a")
    ^ "~~",
    "431"),
   (* -- 9.3.2 pipelining *)
   ("9.3.2 one after the other",
    "GET /a HTTP/1.1~^~GET /b HTTP/1.1~^~GET /c HTTP/1.1~^~",
    "GET /a|GET /b|GET /c|"),
   (* -- 11.2 smuggling *)
   ("11.2 a request in a body",
    "POST / HTTP/1.1~^Content-Length: 27~~GET /hidden HTTP/1.1~A: b~~",
    "POST / GET /hidden HTTP/1.1\r\nA: b\r|400")]

val responseRows =
  [("4 a response", "HTTP/1.1 200 OK~Content-Length: 2~~ab", "200 ab"),
   ("4 no reason", "HTTP/1.1 200 ~Content-Length: 2~~ab", "200 ab"),
   ("4 nor a blank before it", "HTTP/1.1 200~Content-Length: 2~~ab", "200 ab"),
   ("4 no control character in a reason", "HTTP/1.1 200 \000~Content-Length: 0~~", "400"),
   ("4 but bytes above 127", "HTTP/1.1 200 \200\t!~Content-Length: 0~~", "200 "),
   ("4 a status of two digits", "HTTP/1.1 20 OK~~", "400"),
   ("4 of four", "HTTP/1.1 2000 OK~~", "400"),
   ("4 below 100", "HTTP/1.1 099 OK~~", "400"),
   ("4 no version", "ICY 200 OK~~", "400"),
   ("4 nothing", "", "cut"),
   ("6.3 to the end", "HTTP/1.1 200 OK~~abc", "200 abc"),
   ("6.3 a length that is cut", "HTTP/1.1 200 OK~Content-Length: 4~~abc", "broken"),
   ("6.3 equal lengths are one",
    "HTTP/1.1 200 OK~Content-Length: 2~Content-Length: 2~~ab",
    "200 ab"),
   ("6.3 others are none", "HTTP/1.1 200 OK~Content-Length: 2~Content-Length: 3~~abc", "400"),
   ("6.3 a length and chunks",
    "HTTP/1.1 200 OK~Content-Length: 2~Transfer-Encoding: chunked~~0~~",
    "400"),
   ("6.3 chunks", "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~2~ab~1~c~0~~", "200 abc"),
   ("6.3 chunks that are cut", "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~2~ab~", "broken"),
   ("6.3 204 has no body", "HTTP/1.1 204 No Content~Content-Length: 2~~ab", "204 "),
   ("6.3 nor has 304", "HTTP/1.1 304 Not Modified~Content-Length: 2~~", "304 "),
   ("9110 15.2: those before the last are passed over",
    "HTTP/1.1 100 Continue~~HTTP/1.1 103 Early Hints~A: b~~HTTP/1.1 200 OK~Content-Length: 1~~a",
    "200 a"),
   ("9110 15.2.2: but not the one that ends HTTP", "HTTP/1.1 101 Switching Protocols~~", "101 "),
   ("2.2 a body that is larger than is taken",
    "HTTP/1.1 200 OK~~" ^ CharVector.tabulate (41, fn _ => #"a"),
    "large")]

val count = ref 0
fun check (name, expected, got) =
  (count := !count + 1;
   if got = expected then ()
   else
     print (concat [name, ": ", String.toString got, ", and not ", String.toString expected, "\n"]))

(* The same, however it comes. *)
val state = ref 0w1 : Word64.word ref
fun random n =
  (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
   Word64.toInt (Word64.mod (Word64.>> (!state, 0w33), Word64.fromInt n)))
fun ways text =
  [inPieces (fn () => 1000000) text,
   inPieces (fn () => 1) text,
   inPieces (fn () => 3) text,
   inPieces (fn () => 1 + random 40) text]

fun run read (rule, text, expected) =
  List.app (fn source => check (rule, expected, read source)) (ways (spelt text))

val () = List.app (run requests) requestRows
val () = List.app (run (response "GET")) responseRows
val () =
  run
    (response "HEAD")
    ("9110 9.3.2: HEAD has no body", "HTTP/1.1 200 OK~Content-Length: 2~~", "200 ")

(* Rows with bytes changed: the same in one piece and in many, and an answer in any case. *)
fun mutated text =
  let
    val odd =
      Vector.fromList
        ["\r", "\n", "\r\n", " ", "\t", ":", "\000", ";", "0", "Content-Length: 3\r\n", ","]
    val at = random (size text + 1)
    val (front, behind) = (String.substring (text, 0, at), String.extract (text, at, NONE))
  in
    case random 3 of
      0 => front ^ Vector.sub (odd, random (Vector.length odd)) ^ behind
    | 1 => if behind = "" then text else front ^ String.extract (behind, 1, NONE)
    | _ => front ^ String.substring (text, 0, random (size text + 1)) ^ behind
  end
val () =
  List.app
    (fn (rule, text, _) =>
      List.app
        (fn read =>
          let
            val text = mutated (spelt text)
            val all = List.map read (ways text)
          in
            List.app
              (fn got => check (concat [rule, ", changed to ", String.toString text], hd all, got))
              (tl all)
          end)
        [requests, response "GET"])
    (List.concat [requestRows, responseRows])

(* What is written is read again as what it was. *)
fun written f =
  let
    val pieces = ref []
  in
    (f (fn piece => pieces := piece :: !pieces); concat (List.rev (!pieces)))
  end
fun streamed (length, pieces) =
  let
    val left = ref pieces
  in
    HTTPBody.stream {length = length,
                     close = fn () => (),
                     next = fn () => case !left of [] => "" | p :: rest => (left := rest; p)}
  end
val {status, headers, ...} = HTTP.text 200 ""
fun answer (method, minor, status, body) =
  written (fn send =>
    HTTPMessage.writeResponse
      send
      {method = method, minor = minor}
      {status = status, headers = headers, body = body})
val about = "Content-Type: text/plain; charset=utf-8\r\n"
val () =
  List.app (fn (name, got, expected) => check (name, spelt expected, got)) [("a text",
                                                                             answer ("GET",
                                                                                1,
                                                                                200,
                                                                                HTTPBody.string
                                                                                "abc"),
                                                                             "HTTP/1.1 200 OK~"
                                                                             ^ about
                                                                             ^ "Content-Length: 3~~abc"),
                                                                            ("of HEAD",
                                                                             answer ("HEAD",
                                                                                1,
                                                                                200,
                                                                                HTTPBody.string
                                                                                "abc"),
                                                                             "HTTP/1.1 200 OK~"
                                                                             ^ about
                                                                             ^ "Content-Length: 3~~"),
                                                                            ("a stream",
                                                                             answer ("GET",
                                                                                1,
                                                                                200,
                                                                                streamed (NONE,
                                                                                ["abc",
                                                                                "0123456789abcdef"])),
                                                                             "HTTP/1.1 200 OK~"
                                                                             ^ about
                                                                             ^ "Transfer-Encoding: chunked~~3~abc~10~0123456789abcdef~0~~"),
                                                                            ("to HTTP/1.0",
                                                                             answer ("GET",
                                                                                0,
                                                                                200,
                                                                                streamed (NONE,
                                                                                ["abc", "d"])),
                                                                             "HTTP/1.1 200 OK~"
                                                                             ^ about
                                                                             ^ "~abcd"),
                                                                            ("of a length",
                                                                             answer ("GET",
                                                                                1,
                                                                                200,
                                                                                streamed (SOME 4,
                                                                                ["abc", "d"])),
                                                                             "HTTP/1.1 200 OK~"
                                                                             ^ about
                                                                             ^ "Content-Length: 4~~abcd"),
                                                                            ("an empty one",
                                                                             answer ("GET",
                                                                                1,
                                                                                200,
                                                                                streamed
                                                                                (NONE, [])),
                                                                             "HTTP/1.1 200 OK~"
                                                                             ^ about
                                                                             ^ "Transfer-Encoding: chunked~~0~~"),
                                                                            ("204 has no length",
                                                                             answer ("GET",
                                                                                1,
                                                                                204,
                                                                                HTTPBody.empty),
                                                                             "HTTP/1.1 204 No Content~"
                                                                             ^ about
                                                                             ^ "~"),
                                                                            ("304 may have",
                                                                             answer ("GET",
                                                                                1,
                                                                                304,
                                                                                HTTPBody.string
                                                                                "abc"),
                                                                             "HTTP/1.1 304 Not Modified~"
                                                                             ^ about
                                                                             ^ "Content-Length: 3~~"),
                                                                            ("a request",
                                                                             written (fn send =>
                                                                               HTTPMessage.writeRequest
                                                                                send
                                                                                {method = "GET",
                                                                                target = "/a?b",
                                                                                host = "h:1",
                                                                                headers =
                                                                                HTTPHeaders.empty,
                                                                                body =
                                                                                HTTPBody.empty}),
                                                                             "GET /a?b HTTP/1.1~Host: h:1~~"),
                                                                            ("an empty POST",
                                                                             written (fn send =>
                                                                               HTTPMessage.writeRequest
                                                                                send
                                                                                {method = "POST",
                                                                                target = "/",
                                                                                host = "h",
                                                                                body =
                                                                                HTTPBody.empty,
                                                                                headers =
                                                                                HTTPHeaders.fromList
                                                                                [("Content-Length",
                                                                                "7"),
                                                                                ("A", "b")]}),
                                                                             "POST / HTTP/1.1~Host: h~A: b~Content-Length: 0~~"),
                                                                            ("a POST in chunks",
                                                                             written (fn send =>
                                                                               HTTPMessage.writeRequest
                                                                                send
                                                                                {method = "POST",
                                                                                target = "/",
                                                                                host = "h",
                                                                                headers =
                                                                                HTTPHeaders.empty,
                                                                                body =
                                                                                streamed (NONE,
                                                                                ["ab", "c"])}),
                                                                             "POST / HTTP/1.1~Host: h~Transfer-Encoding: chunked~~2~ab~1~c~0~~")]

(* A body that is not what was said is not sent as if it were. *)
fun isBroken body =
  (ignore (answer ("GET", 1, 200, body)); "sent") handle HTTPBody.Broken _ => "broken"
val () = check ("too short", "broken", isBroken (streamed (SOME 5, ["abc"])))
val () = check ("too long", "broken", isBroken (streamed (SOME 2, ["abc"])))

(* Nothing is smuggled into a message that is written. *)
fun isInvalid f = (ignore (f ()); "taken") handle HTTPHeaders.Invalid _ => "invalid"
val () =
  List.app
    (fn (name, value) =>
      check (String.toString name,
             "invalid",
             isInvalid (fn () => HTTPHeaders.fromList [(name, value)])))
    [("A", "b\r\nC: d"),
     ("A", "b\nc"),
     ("A", "\000"),
     ("A:", "b"),
     ("", "b"),
     ("A b", "c"),
     ("A\r\n", "b")]
fun sent (method, target, host) =
  written (fn send =>
    HTTPMessage.writeRequest send {method = method,
                                   target = target,
                                   host = host,
                                   headers = HTTPHeaders.empty,
                                   body = HTTPBody.empty})
val () =
  List.app
    (fn wrong => check (String.toString (#2 wrong), "invalid", isInvalid (fn () => sent wrong)))
    [("GET", "/ HTTP/1.1\r\nA: b", "h"),
     ("GET /", "/", "h"),
     ("GET", "/", "h\r\nA: b"),
     ("GET", "", "h"),
     ("", "/", "h")]

val () = print (Int.toString (!count) ^ " checks\n")
