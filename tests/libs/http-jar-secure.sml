(* An answer that came without TLS could put a cookie in the place of a Secure one, which only an answer by TLS may set:
   whoever was on the way of one plain request chose the session of the client's next request by `https:`.
   RFC 6265 allows it. The draft behind it (5.7), which the jar follows for names with __Secure- and __Host-, does not. *)
fun place (host, path, isSecure) = {host = host, path = path, isSecure = isSecure}
fun shown jar where' = Option.getOpt (HTTPJar'.line (jar, where'), "none")
fun try (name, where', line) =
  let
    val jar = HTTPJar'.new ()
  in
    HTTPJar'.take (jar, place ("a.example.org", "/in/x", true),
                   ["sid=own; Secure; Path=/in; Domain=example.org", "open=1; Path=/"]);
    HTTPJar'.take (jar, where', [line]);
    print (concat [name, ": ", shown jar (place ("a.example.org", "/in/x", true)), "\n"])
  end
val plain = place ("a.example.org", "/in/x", false)
val () =
  app try
    [("without TLS", plain, "sid=other; Path=/in; Domain=example.org"),
     ("for a host of the domain", plain, "sid=other; Path=/in/x"),
     ("for the whole domain, by another host", place ("b.example.org", "/", false),
      "sid=other; Path=/in; Domain=example.org"),
     ("taken back", plain, "sid=; Path=/in; Domain=example.org; Max-Age=0"),
     ("for a path above", plain, "sid=other; Path=/"),
     ("another name", plain, "sid2=other; Path=/in"),
     ("not a secure one", plain, "open=2; Path=/"),
     ("by TLS", place ("a.example.org", "/in/x", true), "sid=other; Path=/in; Domain=example.org")]
