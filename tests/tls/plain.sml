(* A server without TLS, to compare sizes. *)
val () =
  HTTPServer.serve [] (HTTPServer.listen {address = "127.0.0.1", port = 0}) (fn _ =>
    HTTP.text 200 "hello\n")
