(* Fifty cookies of an answer without TLS crowded out a Secure one, and the next such answer set another of its name, which
   went out over TLS. Those that are for TLS alone go last. *)
fun place isSecure = {host = "a.example.org", path = "/", isSecure = isSecure}
val jar = HTTPJar'.new ()
fun shown () = Option.getOpt (HTTPJar'.line (jar, place true), "none")
val () = HTTPJar'.take (jar, place true, ["sid=own; Secure; Path=/"])
val () =
  HTTPJar'.take (jar, place false,
                 List.tabulate (50, fn i => concat ["x", Int.toString i, "=; Path=/"]))
val () =
  HTTPJar'.take (jar, place false,
                 "sid=other; Path=/"
                 :: List.tabulate (50, fn i => concat ["x", Int.toString i, "=; Path=/; Max-Age=0"]))
val () = print (shown () ^ "\n")
