(* URL: the tables of RFC 3986, what is refused and where, parts there and back, and random laws. *)

fun say s = print (s ^ "\n")
val int = Int.toString
fun shown NONE = "-" | shown (SOME s) = String.toString s
fun reason f = f () handle URL.Malformed {at, reason, ...} => concat ["at ", int at, ": ", reason]
fun host NONE = "-"
  | host (SOME (URL.NAME s)) = concat ["name ", String.toString s]
  | host (SOME (URL.IPV4 s)) = "IPv4 " ^ s
  | host (SOME (URL.IPV6 s)) = "IPv6 " ^ s
  | host (SOME (URL.FUTURE s)) = "later " ^ s
fun pairs l = String.concatWith "&" (List.map (fn (n, v) => concat [String.toString n, "=", String.toString v]) l)

(* -- the parts, and the normal form *)

fun parts text =
  let
    val u = URL.parse text
    val user = case URL.user u of NONE => "-" | SOME {name, password} => concat [String.toString name, "|", shown password]
  in
    if URL.toString u = text then () else say "another text";
    String.concatWith ", "
      [shown (URL.scheme u), user, host (URL.host u), shown (Option.map int (URL.port u)), shown (Option.map int (URL.effectivePort u)),
       String.toString (URL.path u), String.concatWith "|" (List.map String.toString (URL.segments u)),
       shown (URL.query u), pairs (URL.parameters u), shown (URL.fragment u)]
    ^ "\n  = " ^ URL.toString (URL.normalise u)
  end
val () =
  List.app (fn s => say (concat [String.toString s, "\n  ", reason (fn () => parts s)]))
    (* 1.1.2 *)
    ["ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
     "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
     "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
     (* 3, 6.2.2, 6.2.3 *)
     "foo://example.com:8042/over/there?name=ferret#nose", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "HTTP://www.EXAMPLE.com/",
     "http://example.com", "http://example.com:/", "http://example.com:80/", "https://example.com:80/", "file:///etc/hosts",
     (* others *)
     "", "#", "?", "//", "/", "/a//b/", "//h?q", "https://user%40:p%3A:w@h/", "http://@h/", "http://:@h:0080/", "http://h/a%2Fb/%00/../%2e%2E/x;y=1,2",
     "?a=1&b=x+y&&c&=d&%63=%26&e=f=g", "?a[b]", "http://EX%41MPLE.com", "http://b%c3%bccher.example/%c3%bc", "http://1.2.3.4:1/", "http://1.2.3.256/",
     "http://01.2.3.4/", "http://127.1/", "http://[::ffff:1.2.3.4]/", "http://[1:0:0:2:0:0:0:3]/", "http://[V1.a:B]/", "a:b:c", "./a:b", "a/b:c", "x:/..//y", "/..//y", "x:a/../b"]

(* -- what is refused *)

val () =
  List.app (fn s => say (concat [String.toString s, "\n  ", reason (fn () => URL.toString (URL.parse s))]))
    ["http://a b/", "http://a/b c", "http://a/b\tc", "http://a/\000", "http://a/b\n", " http://a/", "http://a/\127", "http://b\195\188cher.example/",
     "http://a/\195\188", "http://a/?\255", "http://a/#\128", "http://a/%", "http://a/%4", "http://a/%4g", "http://a/%%41", "http://a%/", "http://a%2Fb/", "http://a%00/",
     "http://a%20b/", "http://a%40b/", "http://a\\b/", "http://a/b\\c", "http://a/b|c", "http://a/<b>", "http://a/?\"", "http://a/#b#c", "http://a/?b[]", "http://a/[b]",
     "http://a@b@c/", "http://a:b@c:d/", "http://a:65536/", "http://a:99999999999999999999/", "http://a:-1/", "http://a:80:80/", "http://a:8x/", "http://[::1", "http://[]/", "http://[1.2.3.4]/",
     "http://[::1]x/", "http://[::1%25eth0]/", "http://[1::2::3]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[1:2:3:4::5:6:7:8]/", "http://[::01.2.3.4]/", "http://[12345::]/", "http://[v.a]/", "http://[v1.]/",
     "http://::1/", ":a", "1a:b", "a_b:c", "%41:b", "a%41:b", "://h", "http ://h"]
val () = say (shown (Option.map URL.toString (URL.fromString "a b")) ^ " " ^ shown (Option.map URL.toString (URL.fromString "a%20b")))
val () = say (exnMessage (URL.Malformed {text = "a\nb", at = 1, reason = "why"}))

(* -- RFC 3986, 5.4: with this base, what they mean *)

val base = URL.parse "http://a/b/c/d;p?q"
fun resolved (reference, expected) =
  let
    val got = URL.toString (URL.resolve {base = base} (URL.parse reference))
  in
    if got = expected then () else say (concat [reference, ": ", got, ", not ", expected])
  end
val () =
  List.app resolved
    (* 5.4.1 *)
    [("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
     ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
     ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
     ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
     (* 5.4.2 *)
     ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
     ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
     ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
     ("http:g", "http:g")]
fun resolve (a, b) = say (concat [a, " and ", b, ": ", reason (fn () => URL.toString (URL.resolve {base = URL.parse a} (URL.parse b)))])
val () =
  List.app resolve
    [("http://a", "b"), ("http://a?q", ""), ("http://a?q#f", "?"), ("http://a/b", "#"), ("mailto:x", "y"), ("x:a/b", "../../c"), ("x:/a", "..//b"), ("x:/a", "/.//b"), ("x:/a", "//b"), ("x:a", "./b:c"), ("/a", "b"),
     ("HTTP://A/b", "c%2e/%2e%2e/d"), ("file:///a/b", "/c"), ("http://u:p@h:8/a/b/", "c")]

(* -- making *)

fun made parts = say (reason (fn () => URL.toString (URL.make parts)))
fun at (scheme, userInfo, host, port, path, query, fragment) : URL.parts =
  {scheme = scheme, userInfo = userInfo, host = host, port = port, path = path, query = query, fragment = fragment}
val h = SOME (URL.NAME "h")
val () =
  List.app (made o at)
    [(SOME "HTTPS", NONE, SOME (URL.NAME "EXAMPLE.com"), SOME 8443, "/a/b", SOME "c=d", SOME "e"), (SOME "http", SOME "u:p", SOME (URL.IPV6 "::1"), NONE, "", NONE, NONE),
     (NONE, NONE, SOME (URL.IPV4 "1.2.3.4"), NONE, "/", SOME "", SOME ""), (SOME "http", NONE, SOME (URL.NAME "b\195\188cher"), NONE, "", NONE, NONE), (NONE, NONE, NONE, NONE, "a/b", NONE, NONE), (SOME "urn", NONE, NONE, NONE, "a:b", NONE, NONE),
     (SOME "http", NONE, SOME (URL.FUTURE "v1.a"), NONE, "", NONE, NONE),
     (* what is none *)
     (SOME "1", NONE, h, NONE, "", NONE, NONE), (SOME "a:b", NONE, h, NONE, "", NONE, NONE), (SOME "", NONE, h, NONE, "", NONE, NONE), (SOME "a/b", NONE, NONE, NONE, "", NONE, NONE), (NONE, SOME "u@", h, NONE, "", NONE, NONE), (NONE, SOME "u/", h, NONE, "", NONE, NONE),
     (NONE, SOME "u", NONE, NONE, "a", NONE, NONE), (NONE, NONE, NONE, SOME 80, "a", NONE, NONE), (NONE, NONE, h, SOME 65536, "", NONE, NONE), (NONE, NONE, h, SOME ~1, "", NONE, NONE),
     (NONE, NONE, SOME (URL.NAME "a/b"), NONE, "", NONE, NONE), (NONE, NONE, SOME (URL.NAME "a:1"), NONE, "", NONE, NONE), (NONE, NONE, SOME (URL.NAME "a b"), NONE, "", NONE, NONE), (NONE, NONE, SOME (URL.NAME "a\r\nb"), NONE, "", NONE, NONE),
     (NONE, NONE, SOME (URL.NAME "1.2.3.4"), NONE, "", NONE, NONE), (NONE, NONE, SOME (URL.IPV4 "a.b"), NONE, "", NONE, NONE), (NONE, NONE, SOME (URL.IPV6 "a]@b"), NONE, "", NONE, NONE), (NONE, NONE, SOME (URL.NAME "a@b"), NONE, "", NONE, NONE),
     (NONE, NONE, h, NONE, "a", NONE, NONE), (NONE, NONE, NONE, NONE, "//a", NONE, NONE), (NONE, NONE, NONE, NONE, "a:b", NONE, NONE), (NONE, NONE, NONE, NONE, "a?b", NONE, NONE), (NONE, NONE, NONE, NONE, "a#b", NONE, NONE),
     (NONE, NONE, NONE, NONE, "a b", NONE, NONE), (NONE, NONE, NONE, NONE, "", SOME "a#b", NONE), (NONE, NONE, NONE, NONE, "", NONE, SOME "a#b"), (NONE, NONE, NONE, NONE, "%", NONE, NONE)]

fun join (a, names) = say (concat [a, " and ", String.concatWith "|" (List.map String.toString names), ": ", reason (fn () => URL.toString (URL.join (URL.parse a) names))])
val () =
  List.app join
    [("http://h", ["a"]), ("http://h/", ["a"]), ("http://h/v1", ["a b", "c/d", "e?f", "100%", "\195\188"]), ("http://h/v1/?k=v#f", ["a", ""]), ("http://h/a", []), ("", ["a:b"]), ("a", ["b"]), ("/", ["", "a"]),
     ("http://h/a", [".."]), ("http://h/a", ["."]), ("http://h/a", ["..", "b"]), ("http://h/a", ["../b"]), ("http://h/a", ["...", ".b"])]
val u = URL.parse "HTTPS://h/p?a=1#f"
val () = say (URL.toString (URL.withParameters (URL.parameters u @ [("b", "x y&z"), ("", "\000")]) u))
val () = say (URL.toString (URL.withParameters [] u) ^ " " ^ URL.toString (URL.withFragment NONE u) ^ " " ^ URL.toString (URL.withFragment (SOME "a b#") u))
val v = URL.parse "http://h:1/p?q#f"
val () =
  List.app (fn f => say (reason (fn () => URL.toString (f v))))
    [URL.withHost (URL.IPV6 "::1"), URL.withHost (URL.NAME "a/b"), URL.withPort NONE, URL.withPort (SOME 65536), URL.withPath "", URL.withPath "/a%20b/", URL.withPath "a", URL.withPath "/a?b",
     URL.withUser (SOME {name = "u@:", password = SOME "p:/"}), URL.withUser (SOME {name = "u", password = NONE}), URL.withUser NONE, URL.withUser NONE o URL.withUser (SOME {name = "", password = SOME ""}),
     fn _ => URL.withPort (SOME 1) (URL.parse "a"), fn _ => URL.withHost (URL.NAME "h") (URL.parse "a")]
val () = say (shown (URL.parameter u "a") ^ " " ^ shown (URL.parameter u "b") ^ " " ^ shown (URL.authority (URL.parse "//u@h:1/")))
val () = List.app (fn s => say (URL.redacted (URL.parse s))) ["http://u:p:q@h/", "http://u@h/", "http://u:@h/", "http://h:80/a:b@c", "a"]
val () =
  List.app (fn s => say (concat [s, " without dots: ", URL.withoutDots s]))
    ["/a/b/c/./../../g", "mid/content=5/../6", "/..", "../a", "./..", "a/..", "a/../b", "/a/.", "/a/b/..", "", "/.a/..b/c.", "/a//../b"]
val () =
  List.app (fn s => say (concat [String.toString s, " -> ", URL.escape s]))
    ["http://b\195\188cher/caf\195\169 au lait", "http://h/?a[]=1&b=50%&c=%41#d#e", "http://[::1]/[x]", "a b", "http://h/\r\nSet-Cookie: x", "http://h\\@evil/", "/a|b<c>\"d\"{e}^`"]

(* -- encoding *)

val all = CharVector.tabulate (256, Char.chr)
val () = List.app (fn f => say (f all)) [URL.encode, URL.encodeSegment, URL.encodeForm]
val () =
  List.app (fn s => say (concat [s, " -> ", shown (URL.decode s), " ", shown (URL.decodeForm s)]))
    ["", "a", "a+b", "%41%2b+", "%c3%BC", "%", "%4", "%4g", "a%", "%%41", "+%zz"]
val () = say (URL.form [("a", "1"), ("b c", "d&e=f+g"), ("", ""), ("\195\188", "~*")])
val () = List.app (fn s => say (s ^ " -> " ^ pairs (URL.parseForm s))) ["", "&", "a", "a=", "=a", "a=b=c", "a=1&a=2", "a%3d=+b+", "%=+%zz", "a;b=c"]

(* -- laws of random texts *)

val random = Random.rand (30, 9)
fun below n = Random.randRange (0, n - 1) random
val words =
  Vector.fromList
    ["http", "HTTPS", ":", "/", "//", "?", "#", "@", "[::1]", "[1:0:0::2]", "a", "B.example", "1.2.3.4", ":80", ":0443", "%41", "%2f", "%C3%bc", ".", "..", "/./", "/../", "&", "=", "+", "~", "!", "%2e", " ", "%", "\\", "\195"]
fun text n = concat (List.tabulate (below n, fn _ => Vector.sub (words, below (Vector.length words))))
fun law what isTrue text = if isTrue then () else say (concat [what, ": ", String.toString text])
fun one text =
  case URL.fromString text of
    NONE => law "escape" (URL.fromString (URL.escape text) = NONE orelse URL.escape text <> text) text
  | SOME u =>
      let
        val n = URL.normalise u
        val base = URL.parse "http://u@h:1/a/b?c"
        val r = URL.resolve {base = base} u
      in
        law "text" (URL.toString u = text) text;
        law "escape" (URL.escape text = text) text;
        law "made" (URL.parts (URL.make (URL.parts u)) = URL.parts u) text;
        law "normal" (URL.normalise n = n) text;
        law "normal parts" (Option.map (fn URL.IPV6 _ => URL.NAME "" | h => h) (URL.host u) = Option.map (fn URL.IPV6 _ => URL.NAME "" | h => h) (URL.host n)
                            andalso URL.parameters u = URL.parameters n andalso URL.effectivePort u = URL.effectivePort n) text;
        law "resolved" (URL.resolve {base = base} r = r andalso isSome (URL.scheme r)) text;
        law "normal and resolved" (URL.normalise (URL.resolve {base = base} n) = URL.normalise r orelse String.isSubstring "%2e" text) text;
        law "visible" (CharVector.all (fn c => c > #" " andalso c < #"\127") text) text
      end
fun coded text =
  let
    val fields = [(text, "x"), ("y", text), ("", text)]
    val u = URL.join (URL.parse "http://h/a") ["b" ^ text, text ^ "c"]
  in
    law "encode" (URL.decode (URL.encode text) = SOME text andalso URL.decode (URL.encodeSegment text) = SOME text
                  andalso URL.decodeForm (URL.encodeForm text) = SOME text) text;
    law "form" (URL.parseForm (URL.form fields) = fields) text;
    law "join" (URL.segments u = ["a", "b" ^ text, text ^ "c"]) text;
    law "parameters" (URL.parameters (URL.withParameters fields u) = fields) text
  end
fun times 0 = ()
  | times n =
      (one (text 9); one ("http://" ^ text 6); coded (text 5); coded (CharVector.tabulate (below 9, fn _ => Char.chr (below 256))); times (n - 1))
val () = times 1500
val () = say "laws"
