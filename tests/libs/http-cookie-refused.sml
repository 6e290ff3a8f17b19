(* Cookies that a browser would not keep. An age below a second was sent as `Max-Age=0`, which takes the cookie back; and
   a cookie for other sites that is not secure, or one whose name promises more than its record says, was sent, though
   browsers refuse it. *)

val plain = {path = "/", domain = NONE, age = NONE, secure = false, hidden = false, site = HTTPCookie.LAX}
fun aged ms = {path = "/", domain = NONE, age = SOME (Time.fromMilliseconds ms), secure = false, hidden = false,
               site = HTTPCookie.LAX}
fun other secure =
  {path = "/", domain = NONE, age = NONE, secure = secure, hidden = false, site = HTTPCookie.ANY}
fun placed (path, domain) =
  {path = path, domain = domain, age = NONE, secure = true, hidden = false, site = HTTPCookie.LAX}

fun show (about, name) =
  print (valOf (HTTPHeaders.get (#headers (HTTPCookie.set about (name, "b") (HTTP.status 200))) "set-cookie") ^ "\n")
  handle HTTPHeaders.Invalid why => print (why ^ "\n")

val () =
  List.app show
    [(aged 500, "a"), (aged 1000, "a"), (aged 1001, "a"), (aged 0, "a"), (aged ~500, "a"), (aged ~1500, "a"),
     (other true, "a"), (other false, "a"),
     (plain, "__Secure-a"), (other true, "__Secure-a"),
     (plain, "__Host-a"), (placed ("/", NONE), "__Host-a"), (placed ("/x", NONE), "__Host-a"),
     (placed ("/", SOME "d"), "__host-a"), (placed ("/x", SOME "d"), "__Hosta")]
