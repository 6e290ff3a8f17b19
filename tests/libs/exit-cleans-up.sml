(* A thread that says CML.exit within Scope.finally, Semaphore.withPermit or Pool.use: nothing was cleaned up. And in
   a handler of a server: the client got no answer and no end, and the server kept the connection for good. The body
   of its response was not closed. It gets 500 now, and standard error says why. *)
fun thread f = CML.sync (CML.joinEvt (CML.spawn f))
fun say text () = print (text ^ "\n")
val () =
  thread (fn () =>
    Scope.finally (fn () => Scope.finally (fn () => CML.exit (), say "inner"), say "outer"))
val () =
  Scope.run (fn scope =>
    ignore (Scope.fork scope (fn () =>
              Scope.finally (fn () => Scope.run (fn _ => CML.exit ()), say "in a scope"))))
val () =
  thread (fn () =>
    (Scope.finally (say "returns", say "once");
     (Scope.finally (fn () => raise Fail "x", say "once more") handle Fail _ => ());
     CML.exit ()))
val () =
  thread (fn () =>
    Scope.finally (fn () => CML.exit (), fn () => (say "exits, too" (); CML.exit ())))

val permits = Semaphore.semaphore 2
val () = thread (fn () => Semaphore.withPermit permits (fn () => CML.exit ()))
val () = print (Int.toString (Semaphore.free permits) ^ " permits\n")
val settings =
  {size = 1,
   make = fn () => 1,
   close = fn _ => say "closed" (),
   check = fn _ => true,
   idle = Time.fromSeconds 10}
val () =
  Pool.run settings (fn pool =>
    (thread (fn () => Pool.use pool (fn _ => CML.exit ()));
     print (Int.toString (#out (Pool.count pool)) ^ " out\n")))

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val base = "http://127.0.0.1:" ^ Int.toString (HTTPServer.port listener)
val stop = SyncVar.iVar () : unit SyncVar.ivar
fun handler ({path, ...} : HTTP.request) =
  case path of
    ["exit"] => CML.exit ()
  | ["body"] =>
      {status = 200,
       headers = HTTPHeaders.empty,
       body = HTTPBody.stream {length = NONE, next = fn () => CML.exit (), close = say "body closed"}}
  | _ => HTTP.text 200 "served\n"
val client = HTTPClient.client [HTTPClient.AnswerTime (Time.fromSeconds 20)]
fun ask path =
  print (HTTPBody.all {most = 100} (#body (HTTPClient.get client (base ^ path))))
  handle HTTPClient.Failed {cause, ...} => print (exnName cause ^ "\n")
fun visit () =
  (List.app ask ["/exit", "/exit", "/exit", "/body", "/"];
   HTTPClient.close client;
   SyncVar.iPut (stop, ()))
val _ = CML.spawn visit
val start = Time.now ()
val () =
  HTTPServer.serve
    [HTTPServer.StopWhen (SyncVar.iGetEvt stop),
     HTTPServer.MaxConnections 3,
     HTTPServer.GraceTime (Time.fromSeconds 20)]
    listener
    handler
val () =
  print
    (if Time.< (Time.- (Time.now (), start), Time.fromSeconds 15) then "ended\n"
     else "ended late\n")
