(* HTTPExchange': one request and its answer, over a connection: one that was kept, or a new one. *)

structure HTTPExchange' =
struct
  open CML
  open HTTPAddress'
  structure Input = HTTPInput'
  structure Body = HTTPBody'
  structure Headers = HTTPHeaders'
  structure Message = HTTPMessage'
  structure Connections = HTTPConnections'

  exception Failed of {url : string, doing : string, cause : exn}

  val () =
    MLton.Exn.addExnMessager (fn Failed {url, doing, cause} =>
                                   SOME (concat ["HTTPClient: ",
                                                 url,
                                                 ": ",
                                                 doing,
                                                 ": ",
                                                 General.exnMessage cause])
                               | _ => NONE)

  type request = {method : string, url : string, headers : HTTPHeaders.t, body : HTTPBody.t}

  fun has (words, word) = List.exists (fn w => w = word) words

  (* -- a request that is sent while the answer is read *)

  exception Refused

  (* A request that is being sent by a thread of its own: `sent` has why that ended, NONE when all was sent. *)
  type sending = {stop : unit SyncVar.ivar, sent : exn option SyncVar.ivar}

  fun sending write : sending =
    let
      val (stop, sent) = (SyncVar.iVar (), SyncVar.iVar ())
      (* that of a body which ends the thread *)
      val outcome = ref (SOME Refused)
      fun run () =
        (Scope.run (fn scope =>
           (Scope.daemon scope (fn () =>
              (sync (SyncVar.iGetEvt stop); Scope.cancel (scope, Refused)));
            write ()));
         outcome := NONE)
        handle e => outcome := SOME e
    in
      ignore (spawn (fn () => Scope.finally (run, fn () => SyncVar.iPut (sent, !outcome))));
      {stop = stop, sent = sent}
    end

  (* No more of it is sent; nobody uses the connection for that any more. Gives why it has ended. *)
  fun stopped ({stop, sent} : sending) =
    Scope.shield (fn () =>
      (SyncVar.iPut (stop, ()) handle SyncVar.Put => (); SyncVar.iGet sent))

  (* Later than anything: who waits for the answer while the request is sent has no deadline but that of each piece that
     is sent. *)
  fun whenever () = Connections.deadline (Time.fromSeconds 1000000000)

  (* The header of the answer: it may come before all is sent. The time for it begins when nothing is sent any more. *)
  fun answerWhile ({sent, ...} : sending, time, read) =
    Scope.run (fn scope =>
      let
        fun late () = (sync (timeOutEvt time); Scope.cancel (scope, Input.TimeOut))
      in
        Scope.daemon scope (fn () =>
          case SyncVar.iGet sent of
            NONE => late ()
          (* it may have answered before it closed the connection *)
          | SOME (OS.SysErr _) => late ()
          | SOME e => Scope.cancel (scope, e));
        read whenever
      end)

  (* -- over one connection *)

  (* A body of more bytes may not find room on the way to the server: it is sent while the answer is read. *)
  val largest = 65536

  (* Sends it over a connection, and reads the header of the answer. *)
  fun exchange
    (client,
     c as {transport, input, proxy, ...} : Connections.connection,
     address,
     {method, url, headers, body} : request) =
    let
      val {limits, sendTime, answerTime, pieceTime, ...} : Connections.client = client
      (* RFC 9112, 3.2.2: a proxy is asked for the whole address *)
      val (target, headers) =
        case if #isSecure address then NONE else proxy of
          NONE => (#target address, headers)
        | SOME (_, fields) =>
            (concat ["http://", hostOf address, #target address],
             List.foldl (fn (field, h) => Headers.add field h) headers fields)
      fun write () =
        HTTP'.writeRequest (Connections.sendAll (transport, sendTime)) {method = method,
                                                                        target = target,
                                                                        host = hostOf address,
                                                                        headers = headers,
                                                                        body = body}
      fun read until = HTTP'.readResponse (input, limits, method, until)
      fun framingOf response = Message.responseFraming (method, response, limits)
      fun isKeptAfter ({status, minor, headers} : Message.response, framing) =
        let
          val said = Headers.words headers "connection"
        in
          not (has (said, "close"))
          andalso (minor = 1 orelse has (said, "keep-alive"))
          andalso status <> 101
          andalso (case framing of Message.UNTIL_CLOSE => false | _ => true)
        end
      fun bodyOf (framing, ended) =
        HTTP'.bodyOf (input, framing, limits, fn () => Connections.deadline pieceTime, ended)
      fun failed (doing, cause) = Failed {url = url, doing = doing, cause = cause}
      (* what is wrong with the request's body says so already *)
      fun told (e as Failed _) = e
        | told e = failed ("reading the answer", e)
      fun answer ({status, headers, ...} : Message.response, body) : HTTP.response =
        {status = status,
         headers = headers,
         (* The answer to HEAD has no body, and that says nothing of the length of the one that GET has. *)
         body =
           if method = "HEAD" then
             Body.stream {length = NONE, next = fn () => "", close = fn () => ()}
           else Body.toldAs told body}

      fun small () =
        let
          (* If the server does not take it all it may have answered already. *)
          val lost = (write (); NONE) handle e as OS.SysErr _ => SOME e
          val until = Connections.deadline answerTime
          val response =
            read (fn () => until)
            handle e as Scope.Cancelled => raise e
                 | e => raise Option.getOpt (lost, e)
          val framing = framingOf response
          val isKept = not (isSome lost) andalso isKeptAfter (response, framing)
          fun ended isOver =
            if isOver andalso isKept then Connections.give (client, c) else Connections.closeOne c
          val body = bodyOf (framing, ended)
        in
          (case body of
             Body.STREAM _ => ()
           | _ => ended true);
          answer (response, body)
        end

      fun large () =
        let
          val sending as {sent, ...} = sending write
          fun hasFailed () =
            case SyncVar.iGetPoll sent of
              SOME (SOME e) => SOME e
            | _ => NONE
          (* What is wrong with the request's body. A server that does not take it all may do so. *)
          fun isOwn (OS.SysErr _) = false
            | isOwn Input.TimeOut = false
            | isOwn Refused = false
            | isOwn _ = true
          fun check () = case hasFailed () of SOME e => if isOwn e then raise e else () | NONE => ()
          fun run () =
            let
              val response as {status, ...} =
                answerWhile (sending, answerTime, read)
                handle e as Scope.Cancelled => raise e
                     | e =>
                         (case stopped sending of
                            SOME (lost as OS.SysErr _) => raise lost
                          | _ => raise e)
              (* The server may not take the rest. *)
              val () = if status >= 300 then ignore (stopped sending) else ()
              val framing = framingOf response
              val body = bodyOf (framing, ignore)
              val isSettled = ref false
              (* All of the answer has come: the connection can be used when all is sent, too. *)
              fun settle () =
                if !isSettled then ()
                else
                  let
                    val why = SyncVar.iGet sent
                  in
                    isSettled := true;
                    if not (isSome why) andalso isKeptAfter (response, framing) then
                      Connections.give (client, c)
                    else Connections.closeOne c;
                    check ()
                  end
              fun sent' f =
                f ()
                handle e as Scope.Cancelled => raise e
                     | e => raise failed ("sending the request", e)
              fun next () =
                let
                  val () = sent' check
                  val piece =
                    Body.read body
                    handle e as Scope.Cancelled => raise e
                         | e => (sent' check; raise e)
                in
                  if piece = "" orelse Body.length body = SOME 0 then sent' settle else ();
                  piece
                end
              fun close () =
                (Body.close body;
                 if !isSettled then ()
                 else (isSettled := true; ignore (stopped sending); Connections.closeOne c))
            in
              answer (response,
                      case body of
                        Body.STREAM _ =>
                          Body.streamLike body {length = Body.length body,
                                                next = next,
                                                close = close}
                      | _ => (settle (); body))
            end
        in
          run () handle e => (ignore (stopped sending); raise e)
        end
    in
      case Body.length body of
        SOME n => if n > largest then large () else small ()
      | NONE => large ()
    end

  (* -- over one that was kept, or a new one *)

  fun isRepeatable method = has (["GET", "HEAD", "PUT", "DELETE", "OPTIONS"], method)

  (* A text can be sent again. *)
  fun copied (Body.TEXT text) = SOME (Body.string (!text))
    | copied _ = NONE

  fun once (client, url, address, request as {method, headers, body, ...} : request) =
    let
      fun failed (doing, cause) = raise Failed {url = url, doing = doing, cause = cause}
      fun connecting f =
        f ()
        handle Scope.Cancelled => raise Scope.Cancelled
             | e => failed ("connecting to " ^ authorityOf address, e)
      val proxy = connecting (fn () => Connections.proxyFor (client, address))
      fun try (c as {hasCome, isKept, ...} : Connections.connection, again) =
        (hasCome := false; exchange (client, c, address, request))
        handle e =>
            let
              val () = Connections.closeOne c
              (* nothing of an answer had come: the connection was over *)
              val isOld =
                isKept
                andalso isRepeatable method
                andalso not (!hasCome)
                andalso (case e of
                           Input.Closed => true
                         | Input.CutOff => true
                         | OS.SysErr _ => true
                         | _ => false)
            in
              case (e, if isOld then again else NONE) of
                (Scope.Cancelled, _) => raise e
              | (_, SOME body) =>
                  send (NONE, {method = method, url = url, headers = headers, body = body})
              | _ => failed ("waiting for the answer", e)
            end
      and send (again, request) =
        case (if isSome again then Connections.take (client, address, proxy) else NONE) of
          SOME c => try (c, again)
        | NONE =>
            let
              val c =
                connecting (fn () =>
                  Connections.connect (client, address, proxy, {isOther = false}))
            in
              exchange (client, c, address, request)
              handle e =>
                  (Connections.closeOne c;
                   case e of
                     Scope.Cancelled => raise e
                   | _ => failed ("waiting for the answer", e))
            end
    in
      case copied body of
        SOME again => send (SOME again, request)
      | NONE =>
          case Connections.take (client, address, proxy) of
            SOME c => try (c, NONE)
          | NONE => send (NONE, request)
    end
end
