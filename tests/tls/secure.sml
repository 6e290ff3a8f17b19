(* The same server with TLS. *)
val () =
  HTTPServer.serve
    [HTTPS.server [Tls.Certificate {chain = "cert.pem", key = "key.pem"}]]
    (HTTPServer.listen {address = "127.0.0.1", port = 0})
    (fn _ => HTTP.text 200 "hello\n")
