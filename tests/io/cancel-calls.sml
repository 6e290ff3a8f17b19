(* Calls of the library that wait are cancelled at random: by deadlines that come before they begin, in one of their waits, or
   when they clean up. Afterwards the books are right: nothing was done twice, no message is lost, and nothing is left: no
   thread, time-out, wait, descriptor, job, connection, permit, thing of a pool.

   `tests/cml/cancel-storm.sml` does the same for the waits of Concurrent ML. Words on the command line: rounds of each of
   the six players, a seed, and the number of the one kind of call that is wanted. The long form is the leg `cancelling`
   of the campaign. *)

open CML

val (rounds, seed, only) =
  case List.mapPartial Int.fromString (CommandLine.arguments ()) of
    [rounds, seed] => (rounds, seed, ~1)
  | [rounds, seed, only] => (rounds, seed, only)
  | _ => (25, 1, ~1)
val players = 6
val ms = Time.fromMilliseconds
val us = Time.fromMicroseconds o LargeInt.fromInt
val long = Time.fromSeconds 3600

fun problem parts = print (concat parts ^ "\n")

(* a small generator for each player *)
fun random seed =
  let
    val state = ref (Word.fromInt seed * 0w2654435761 + 0w12345)
  in
    fn n =>
      (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
       Word.toInt (Word.mod (Word.>> (!state, 0w33), Word.fromInt n)))
  end

(* -- books *)

(* A number that several threads change. *)
fun counter () = SyncVar.mVarInit 0
fun count (c, by) = Scope.shield (fn () => SyncVar.mPut (c, SyncVar.mTake c + by))
fun value c = SyncVar.mGet c

(* How often the server has done each request, and how often its client has got an answer. *)
fun ledger () = Mailbox.mailbox () : string Mailbox.mbox
val done = ledger ()
val answered = ledger ()

(* -- the servers *)

val began = counter ()
fun handler (request as {path, body, ...} : HTTP.request) =
  case path of
    ["do", id] =>
      (* Reading the body may be cancelled; what is between the note and the answer is no wait. *)
      (ignore (HTTPBody.all {most = 100000} body); Mailbox.send (done, id); HTTP.text 200 id)
  | ["slow"] => (OS.Process.sleep (us 300); HTTP.text 200 "slow")
  | ["forever"] =>
      (count (began, 1);
       Scope.finally
         (fn () => (OS.Process.sleep long; HTTP.status 204), fn () => count (began, ~1)))
  | ["stream"] =>
      let
        val left = ref 20
        val () = count (began, 1)
        fun next () =
          if !left = 0 then ""
          else
            (left := !left - 1; OS.Process.sleep (us 50); CharVector.tabulate (2000, fn _ => #"x"))
      in
        {status = 200,
         headers = HTTPHeaders.empty,
         body = HTTPBody.stream {length = NONE, next = next, close = fn () => count (began, ~1)}}
      end
  | ["socket"] =>
      WebSocket.handler
        []
        (fn socket =>
          let
            fun echo () =
              case WebSocket.receive socket of
                SOME m => (WebSocket.send (socket, m); echo ())
              | NONE => ()
          in
            echo ()
          end)
        request
  | _ => HTTP.status 404

val stop = SyncVar.iVar () : unit SyncVar.ivar
fun serve settings listener =
  HTTPServer.serve
    ([HTTPServer.StopWhen (SyncVar.iGetEvt stop),
      HTTPServer.LingerTime (ms 100),
      HTTPServer.OnError (fn (e, request) =>
        case (e, request) of
          (_, NONE) => ()
        | (HTTPBody.Broken _, _) => ()
        | (e, SOME {target, ...}) => problem [target, ": ", exnMessage e])]
     @ settings)
    listener
    handler
fun new () = HTTPServer.listen {address = "127.0.0.1", port = 0}

val trust = Tls.TrustPEM Keys.caPEM
val certificate = Tls.CertificatePEM {chain = Keys.serverPEM, key = Keys.serverKey}
val tlsClient = Tls.client [Tls.NotTheSystem, trust]
val tlsServer = Tls.server [certificate]
val here = valOf (NetHostDB.fromString "127.0.0.1")

(* A server that sends back what it gets, through TLS. *)
fun echoes (scope, listener) =
  let
    val listening = case listener of HTTPServer.Four sock => sock | HTTPServer.Six _ => raise Match
    fun serve sock () =
      let
        val stream = Tls.accept tlsServer sock
        fun go () =
          let
            val bytes = Tls.recvVec (stream, 4096)
          in
            if Word8Vector.length bytes = 0 then ()
            else (Tls.sendVec (stream, Word8VectorSlice.full bytes); go ())
          end
      in
        Scope.finally
          (fn () => go () handle Tls.Failed _ => () | OS.SysErr _ => (), fn () => Tls.close stream)
      end
      handle Tls.Failed _ => ()
           | OS.SysErr _ => ()
    fun loop () =
      let
        val (sock, _) = Socket.accept listening
      in
        ignore (Scope.fork scope (serve sock));
        loop ()
      end
  in
    loop ()
  end

(* -- what is shared *)

type all =
  {plain : int,
   secure : int,
   echo : int,
   client : HTTPClient.client,
   safe : HTTPClient.client,
   pool : int Pool.pool,
   permits : Semaphore.semaphore,
   limit : RateLimit.limit,
   flights : int SingleFlight.group,
   box : int Mailbox.mbox}
val (made, closed, out) = (counter (), counter (), counter ())
val (put, taken) = (counter (), counter ())

fun url (port, rest) = concat ["http://127.0.0.1:", Int.toString port, rest]
fun secureURL (port, rest) = concat ["https://localhost:", Int.toString port, rest]

(* The server is there, so a request fails only because its thread was cancelled. *)
fun readAll ({body, ...} : HTTP.response) = HTTPBody.all {most = 1000000} body

fun post (client, url, id, text) =
  let
    val said = readAll (HTTPClient.post client {url = url ^ id, kind = "text/plain"} text)
  in
    if said = id then Mailbox.send (answered, id) else problem [id, " was answered by ", said]
  end

fun connected port =
  let
    val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
  in
    Socket.connect (sock, INetSock.toAddr (here, port)) handle e => (Socket.close sock; raise e);
    sock
  end

fun openPipe () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
  in
    (TextIO.mkInstream (TextIO.StreamIO.mkInstream (Posix.IO.mkTextReader {fd = infd,
                                                                           name = "pipe",
                                                                           initBlkMode = true},
                                                    "")),
     outfd)
  end

(* A reader is cancelled: what it has not got comes to the next one. *)
fun lines next =
  let
    val (input, outfd) = openPipe ()
    val n = 20
    fun line i = "line " ^ Int.toString i ^ "\n"
    fun write text =
      ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes text)))
    val got = ref []
    fun read () =
      case TextIO.inputLine input of
        SOME l => (got := l :: !got; read ())
      | NONE => ()
    val expected = List.tabulate (n, line)
  in
    Scope.finally (fn () =>
                     Scope.run (fn scope =>
                       (ignore (Scope.fork scope (fn () =>
                                  Scope.shield (fn () =>
                                    (List.app
                                       (fn l =>
                                         (if next 4 = 0 then OS.Process.sleep (us (next 100))
                                          else ();
                                          (* in two pieces *)
                                          write (String.substring (l, 0, 3));
                                          write (String.extract (l, 3, NONE))))
                                       expected;
                                     Posix.IO.close outfd))));
                        read ())),
                   fn () =>
                     (read ();
                      TextIO.closeIn input;
                      if List.rev (!got) = expected then ()
                      else problem ["lines: ", concat (List.rev (!got))]))
  end

(* All of these, by a number. *)
val kinds = 20
fun call (all : all, next, id) kind =
  case kind of
    0 => post (#client all, url (#plain all, "/do/"), id, "text")
  | 1 => post (#client all, url (#plain all, "/do/"), id, CharVector.tabulate (60000, fn _ => #"t"))
  | 2 => post (#safe all, secureURL (#secure all, "/do/"), id, "text")
  | 3 => ignore (readAll (HTTPClient.get (#client all) (url (#plain all, "/slow"))))
  | 4 => ignore (readAll (HTTPClient.get (#client all) (url (#plain all, "/stream"))))
  | 5 => ignore (readAll (HTTPClient.get (#client all) (url (#plain all, "/forever"))))
  | 6 =>
      let
        fun request path =
          {method = "GET",
           url = url (#plain all, path),
           headers = HTTPHeaders.empty,
           body = HTTPBody.empty}
        val event = HTTPClient.sendEvt (#client all)
      in
        select [wrap (event (request "/slow"), ignore o readAll),
                wrap (event (request "/forever"), ignore o readAll),
                wrap (timeOutEvt (us (next 1000)), ignore)]
      end
  | 7 =>
      WebSocket.connect
        (if next 2 = 0 then #client all else #safe all)
        []
        {url = url (#plain all, "/socket"),
         headers = HTTPHeaders.empty}
        (fn socket =>
          List.app
            (fn i =>
              (WebSocket.send (socket, WebSocket.TEXT (Int.toString i));
               case WebSocket.receive socket of
                 SOME (WebSocket.TEXT text) =>
                   if text = Int.toString i then () else problem ["WebSocket: ", text]
               | _ => problem ["no message"]))
            [1, 2, 3])
  | 8 =>
      let
        val stream = Tls.connect (tlsClient, "localhost") (connected (#echo all))
        fun exchange i =
          let
            val text = Byte.stringToBytes (Int.toString i)
            val () = Tls.sendVec (stream, Word8VectorSlice.full text)
            val back =
              if i mod 2 = 0 then Tls.recvVec (stream, 100)
              else select [Tls.recvVecEvt (stream, 100), wrap (timeOutEvt long, fn () => text)]
          in
            if back = text then () else problem ["TLS"]
          end
      in
        Scope.finally (fn () => List.app exchange [1, 2, 3, 4], fn () => Tls.close stream)
      end
  | 9 =>
      Pool.use (#pool all) (fn _ =>
        Scope.finally (fn () => (count (out, 1); OS.Process.sleep (us (next 300))),
                       fn () => count (out, ~1)))
  | 10 => Semaphore.withPermit (#permits all) (fn () => OS.Process.sleep (us (next 300)))
  | 11 => RateLimit.take (#limit all)
  | 12 =>
      Retry.run [Retry.Attempts 3, Retry.First (us 100)] (fn () =>
        (OS.Process.sleep (us 50); raise Fail "again"))
  | 13 =>
      select [Retry.runEvt [Retry.First (us 100)] (fn () =>
                (OS.Process.sleep (us 50); raise Fail "again")),
              wrap (timeOutEvt (us (next 400)), ignore)]
  | 14 =>
      let
        val name = Int.toString (next 3)
        fun fly () = (OS.Process.sleep (us 200); 7)
      in
        if SingleFlight.run (#flights all, name) fly = 7 then () else problem ["SingleFlight"]
      end
  | 15 => (Mailbox.send (#box all, 1); count (put, 1))
  | 16 => (ignore (Mailbox.recv (#box all)); count (taken, 1))
  | 17 => lines next
  | 18 =>
      (* a server of its own *)
      let
        val listener = new ()
        val port = HTTPServer.port listener
      in
        Scope.run (fn scope =>
          (ignore (Scope.fork scope (fn () =>
                     HTTPServer.serve [] listener (fn _ =>
                       (OS.Process.sleep (us 100); HTTP.status 204))));
           ignore (readAll (HTTPClient.get (#client all) (url (port, "/"))));
           OS.Process.sleep long))
      end
  | _ =>
      (* a peer that reads nothing, and one that says nothing *)
      let
        val sock = connected (#echo all)
        fun send () =
          (ignore (Socket.sendVec
                     (sock, Word8VectorSlice.full (Word8Vector.tabulate (1000, fn _ => 0wx16))));
           send ())
      in
        Scope.finally (fn () =>
                         if next 2 = 0 then ignore (Socket.recvVec (sock, 1))
                         else send () handle OS.SysErr _ => (),
                       fn () => Socket.close sock)
      end

(* Processes take long, so there are few. The child of a call that was cancelled goes on, and is waited for. *)
fun process next =
  let
    val child = Unix.execute ("/bin/sleep", ["0.002"])
  in
    Scope.finally (fn () => ignore (Scope.within (us (next 3000)) (fn _ => Unix.reap child)),
                   fn () => ignore (Unix.reap child) handle OS.SysErr _ => ())
  end

val calls = counter ()
fun player (all, me) () =
  let
    val next = random (seed * 1000 + me)
    fun play 0 = ()
      | play k =
          let
            val id = concat [Int.toString me, "-", Int.toString k]
            val kind = if only >= 0 then only else next kinds
            (* those that go through a handshake take longer *)
            val room = if kind = 2 orelse kind = 8 then 6000 else if kind = 18 then 2000 else 1000
          in
            ignore (Scope.within (us (next room)) (fn _ => call (all, next, id) kind))
            handle HTTPClient.Failed {doing, cause, ...} => problem [doing, ": ", exnMessage cause]
                 | Fail "again" => ()
                 | e => problem ["kind ", Int.toString kind, ": ", exnMessage e];
            if next 100 = 0 then process next else ();
            count (calls, 1);
            play (k - 1)
          end
  in
    play rounds;
    (* One without a deadline: on a busy machine all others may have been cancelled. *)
    post (#client all, url (#plain all, "/do/"), Int.toString me ^ "-last", "text")
  end

(* -- what is left *)

fun free () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val number = SysWord.toInt (Posix.FileSys.fdToWord infd)
  in
    Posix.IO.close infd;
    Posix.IO.close outfd;
    number
  end
fun descriptors () =
  let
    val folder = OS.FileSys.openDir "/proc/self/fd"
    fun go n = case OS.FileSys.readDir folder of SOME _ => go (n + 1) | NONE => n
  in
    go 0 before OS.FileSys.closeDir folder
  end
  handle OS.SysErr _ => 0

(* What ends by itself has ten seconds. *)
fun settle (name, expected, f) =
  let
    fun wait n =
      if n > 0 andalso f () > expected then (OS.Process.sleep (ms 10); wait (n - 1)) else ()
  in
    wait 1000;
    if f () > expected then problem [name, " left: ", Int.toString (f () - expected)] else ()
  end

val () =
  let
    (* the first wait for a name or a process makes what stays *)
    val () = ignore (NetHostDB.getByName "localhost")
    val () = ignore (Unix.reap (Unix.execute ("/bin/true", [])))
    val (threads, first) = (Leat.Count.threads (), descriptors ())
    val echoListener = new ()
    val (plain, secure) = (new (), new ())
    val client = HTTPClient.client []
    val safe = HTTPClient.client [HTTPS.client [Tls.NotTheSystem, trust]]
    val permits = Semaphore.semaphore 2
    val flights = SingleFlight.group ()
    val box = Mailbox.bounded 3
    fun play (scope, pool) =
      let
        val all =
          {plain = HTTPServer.port plain,
           secure = HTTPServer.port secure,
           echo = HTTPServer.port echoListener,
           client = client,
           safe = safe,
           pool = pool,
           permits = permits,
           limit = RateLimit.limit {tokens = 20000, per = Time.fromSeconds 1, burst = 2},
           flights = flights,
           box = box}
      in
        Scope.run (fn scope =>
          List.app
            (fn me => ignore (Scope.fork scope (player (all, me))))
            (List.tabulate (players, fn i => i + 1)))
      end
    val settings =
      {size = 2,
       make = fn () => (OS.Process.sleep (us 20); count (made, 1); 1),
       close = fn _ => (count (closed, 1); OS.Process.sleep (us 10)),
       check = fn _ => true,
       idle = ms 1}
  in
    Scope.run (fn scope =>
      let
        val servers =
          [Scope.fork scope (fn () => serve [] plain),
           Scope.fork scope (fn () => serve [HTTPS.server [certificate]] secure)]
      in
        Scope.daemon scope (fn () => Scope.run (fn scope => echoes (scope, echoListener)));
        Pool.run settings (fn pool => play (scope, pool));
        HTTPClient.close client;
        HTTPClient.close safe;
        (* the handlers of clients that are gone have ended *)
        settle ("handlers", 0, fn () => value began);
        SyncVar.iPut (stop, ());
        List.app sync servers
      end);
    HTTPServer.close echoListener;
    let
      fun drain ledger =
        case Mailbox.recvPoll ledger of
          SOME id => id :: drain ledger
        | NONE => []
      val done = ListMergeSort.sort String.> (drain done)
      val answered = ListMergeSort.sort String.> (drain answered)
      fun twice (a :: (rest as b :: _)) =
            (if a = b then problem ["done twice: ", a] else (); twice rest)
        | twice _ = ()
      (* both are sorted *)
      fun within ([], _) = ()
        | within (a :: _, []) = problem ["answered and not done: ", a]
        | within (a :: more, b :: rest) =
            if a = b then within (more, rest)
            else if a > b then within (a :: more, rest)
            else problem ["answered and not done: ", a]
      fun left box =
        case Mailbox.recvPoll box of
          SOME _ => 1 + left box
        | NONE => 0
    in
      twice done;
      within (answered, done);
      if List.length answered < players then problem ["not all of the last were answered"]
      else ();
      if value put = value taken + left box then () else problem ["messages are lost or doubled"]
    end;
    if value made = value closed then () else problem ["things of the pool are left"];
    if value out = 0 then () else problem ["things of the pool are out"];
    if Semaphore.free permits = 2 then () else problem ["permits are lost"];
    if SingleFlight.calls flights = 0 then () else problem ["flights are left"];
    settle ("threads", threads, Leat.Count.threads);
    settle ("time-outs", 0, Leat.Count.timers);
    settle ("waits", 0, Leat.Count.waiters);
    settle ("jobs", 0, Leat.Count.jobs);
    settle ("descriptors", first, descriptors);
    if value calls = players * rounds then () else problem ["calls: ", Int.toString (value calls)];
    print "done\n"
  end
