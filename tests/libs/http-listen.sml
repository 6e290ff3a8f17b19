(* Where HTTPServer.listen listens: at an address, and at that of a name, which was refused; what it says of others. *)

fun listen (address, port) =
  let
    val listener = HTTPServer.listen {address = address, port = port}
    (* a name may have addresses of either kind *)
    val kind =
      case (address, listener) of
        ("localhost", _) => "taken"
      | (_, HTTPServer.Four _) => "IPv4"
      | (_, HTTPServer.Six _) => "IPv6"
  in
    print (concat [address, ": ", kind, if HTTPServer.port listener > 0 then "\n" else ", without a port\n"]);
    HTTPServer.close listener
  end
  handle OS.SysErr (why, _) => print (why ^ "\n")
val () =
  List.app listen
    [("127.0.0.1", 0), ("", 0), ("localhost", 0), ("localhost", 65536), ("::1::", 0), ("[::1]", 0), ("a b", 0),
     ("localhost:80", 0), ("127.0.0.1/8", 0)]
