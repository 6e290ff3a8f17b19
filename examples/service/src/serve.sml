(* The program around a service: options, logs, listeners, and a graceful end. *)

structure Serve : sig
  type settings =
    {address : string,
     port : int,
     debugPort : int option,
     handlerTime : Time.time,
     connections : int}
  (* The options that every service has, for Options.run. *)
  val options : settings Options.options
  (* Serves until SIGTERM or Ctrl-C; then no more connections are taken, and the requests that have begun are answered. *)
  val run : settings -> Metrics.registry * HTTP.handler -> unit
  (* The same with more settings of the server, such as `HTTPS.server` of $(SML_LIB)/leat/https.mlb. *)
  val runWith : HTTPServer.setting list -> settings -> Metrics.registry * HTTP.handler -> unit
end =
struct
  infix 4 **
  val op ** = Options.**

  type settings =
    {address : string,
     port : int,
     debugPort : int option,
     handlerTime : Time.time,
     connections : int}

  val options =
    Options.make (fn address => fn port => fn debugPort => fn handlerTime => fn connections =>
      if connections < 1 then raise Options.Wrong "--connections: at least one is needed"
      else
        {address = address,
         port = port,
         debugPort = debugPort,
         handlerTime = handlerTime,
         connections = connections})
    ** Options.value (Options.string, "127.0.0.1") {name = "address",
                                                    short = "a",
                                                    env = "ADDRESS",
                                                    help = "where to listen; 0.0.0.0 is everywhere"}
    ** Options.value
      (Options.int, 8080)
      {name = "port", short = "p", env = "PORT", help = "the port; 0 is one that is free"}
    ** Options.optional Options.int {name = "debug-port",
                                     short = "",
                                     env = "DEBUG_PORT",
                                     help = "a port of 127.0.0.1 with /threads, /counts, /profile"}
    ** Options.value (Options.time, Time.fromSeconds 10) {name = "handler-time",
                                                          short = "",
                                                          env = "",
                                                          help =
                                                            "how long a request may take; 0: any time"}
    ** Options.value (Options.int, 10000) {name = "connections",
                                           short = "",
                                           env = "",
                                           help = "how many at a time; others wait"}

  fun failed (e, request : HTTP.request option) =
    Log.error ("request failed",
               (case request of
                  SOME {method, target, ...} => [("request", Log.Text (method ^ " " ^ target))]
                | NONE => [])
               @ Log.raised e)

  (* A program that cannot have its address says so, and ends: nobody needs a back-trace of that. *)
  fun listen place =
    HTTPServer.listen place
    handle OS.SysErr (why, _) =>
        (Log.error (why, []); OS.Process.exit OS.Process.failure)

  (* The port for people who look at the program is another one, which the world does not see. *)
  fun serveDebug (stop, port) =
    let
      val listener = listen {address = "127.0.0.1", port = port}
    in
      Log.info ("debug", [("port", Log.Int (HTTPServer.port listener))]);
      HTTPServer.serve [HTTPServer.StopWhen stop] listener Debug.handler
    end

  fun runWith more ({address, port, debugPort, handlerTime, connections} : settings)
    (registry, handler) =
    let
      val handlerTime =
        if handlerTime = Time.zeroTime then [] else [HTTPServer.HandlerTime handlerTime]
      val signalled = HTTPServer.signals ()
      val stopped = SyncVar.iVar ()
      val stop = SyncVar.iGetEvt stopped
      val () = Metrics.process registry
      val listener = listen {address = address, port = port}
    in
      Log.info ("listening",
                [("address", Log.Text address), ("port", Log.Int (HTTPServer.port listener))]);
      Scope.run (fn scope =>
        (Scope.daemon scope (fn () =>
           (CML.sync signalled; Log.info ("stopping", []); SyncVar.iPut (stopped, ())));
         Option.app
           (fn port => ignore (Scope.fork scope (fn () => serveDebug (stop, port))))
           debugPort;
         HTTPServer.serve
           (HTTPServer.StopWhen stop
            :: HTTPServer.OnError failed
            :: HTTPServer.MaxConnections connections
            :: handlerTime
            @ more)
           listener
           handler));
      Log.info ("stopped", [])
    end

  val run = runWith []
end
