(* The command line: notes in memory, by HTTPS. *)

structure Service = ServiceFn (Memory)

infix 4 **
val op ** = Options.**
val options =
  Options.make (fn chain => fn key => fn settings =>
    (Tls.Certificate {chain = chain, key = key}, settings))
  ** Options.required Options.string {name = "cert",
                                      short = "",
                                      env = "CERT",
                                      help = "a file in PEM: the certificate, then who signed it"}
  ** Options.required
    Options.string
    {name = "key", short = "", env = "KEY", help = "a file in PEM: the certificate's key"}
  ** Serve.options

val ((certificate, settings), _) =
  Options.run {about = "Notes as a JSON service, by HTTPS.", rest = "", options = options}
val registry = Metrics.registry ()
val () =
  Serve.runWith
    [HTTPS.server [certificate]]
    settings
    (registry, Service.handler (registry, Memory.new ()))
