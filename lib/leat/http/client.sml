(* HTTPClient: requests to servers, over connections that are kept and used again. *)

signature HTTP_CLIENT =
sig
  type client

  (* What was asked, what was being done, and why it failed. *)
  exception Failed of {url : string, doing : string, cause : exn}
  (* an address that is none, or that this client cannot ask: why *)
  exception Address of string

  datatype setting =
      (* bytes of a response's header: 65536 *)
      MaxHeader of int
    (* fields of a header: 200 *)
    | MaxFields of int
    (* bytes of a body: no bound, since a body is read piece by piece; HTTPBody.all has a bound of its own *)
    | MaxBody of int
    (* connections to one host that are kept when they are not used: 8; there are 128 in all at most *)
    | MaxKept of int
    (* for how long: 30 s *)
    | KeepTime of Time.time
    (* how long it may take to find the host and to be connected: 10 s *)
    | ConnectTime of Time.time
    (* how long each piece of a request may take to be sent: 30 s *)
    | SendTime of Time.time
    (* how long the header of the response may take: 30 s *)
    | AnswerTime of Time.time
    (* how long each piece of the response's body may take: 30 s *)
    | PieceTime of Time.time
    (* how many redirections are followed: 10 *)
    | MaxRedirects of int
    (* The proxy for a host, by the host's name: `http://PROXY:PORT`, with `NAME:PASSWORD@` before it if the proxy
       asks for that. NONE, as for all hosts without this setting: the host itself is asked. The proxy sees requests
       for `http:` as a whole. Hosts of addresses that begin with `https:`, `ws:` or `wss:` are reached through it by
       CONNECT; so it sees of `https:` and `wss:` no more than the host's name and port. *)
    | Proxy of string -> string option
    (* Makes what a connection to a host is carried by, until that time, if the address begins with `https:`;
       `HTTPS.client` gives this setting. *)
    | Secure of {host : string} * HTTPTransport'.wire * Time.time -> HTTPTransport'.t
    (* Keeps the cookies that servers set, as long as the client lives, and gives them back (RFC 6265), also on the way of
       a redirection. Without it they are fields of the answers as any other. A cookie for a whole domain is taken if the
       domain has a dot; there is no list of domains such as `co.uk`. *)
    | KeepCookies

  (* A client with a pool of connections of its own, and these settings in place of the usual ones. *)
  val client : setting list -> client

  type request = {method : string, url : string, headers : HTTPHeaders.t, body : HTTPBody.t}

  (* Asks, and waits for the header of the response. Its body must be read to the end, or closed: then its connection
     can be used again. `url` is an address `http://HOST:PORT/PATH?QUERY`, or
     `https:` if the client was made with that. Redirections are followed: 303, and 301 and
     302 after POST, by GET; 307 and 308 if the body is a text. Another host is not given the fields Authorization and
     Cookie.

     A request whose method may be repeated (GET, HEAD, PUT, DELETE, OPTIONS) and whose body is a text is sent once more
     if a connection that was kept ends before a byte of the answer: the server has closed it meanwhile.

     A body of more than 64 KB, or of unknown length, is sent by another thread, and the response may be there before
     all is sent. The end of its body waits for that; when it is closed before its end, the rest is not sent. What the
     request's body raises is raised by the response's body, if that is there. Raises Failed. *)
  val send : client -> request -> HTTP.response
  (* The same as an event: it begins when a thread synchronises on it; if another event happens first, its connection is
     closed. The server may have done what was asked all the same. *)
  val sendEvt : client -> request -> HTTP.response CML.event

  (* Sends a request with the method GET to a URL, and waits for the response as `send` does. *)
  val get : client -> string -> HTTP.response
  (* a text of some kind: post client {url = .., kind = "application/json"} text *)
  val post : client -> {url : string, kind : string} -> string -> HTTP.response

  (* Closes the connections that are kept. *)
  val close : client -> unit
end

structure HTTPClient' :> sig
  include HTTP_CLIENT
  (* Asks for another protocol on a connection, which is closed by `close`; `isRight` looks at the answer's fields. *)
  val upgrade :
    client
    -> {url : string,
        fields : (string * string) list,
        headers : HTTPHeaders.t,
        isRight : HTTPHeaders.t -> bool}
    -> {input : HTTPInput'.t, send : string -> unit, close : unit -> unit}
end =
struct
  open CML
  structure Input = HTTPInput'
  structure Body = HTTPBody'
  structure Headers = HTTPHeaders'
  structure Message = HTTPMessage'

  exception Failed of {url : string, doing : string, cause : exn}
  exception Address of string

  val () =
    MLton.Exn.addExnMessager (fn Failed {url, doing, cause} =>
                                   SOME (concat ["HTTPClient: ",
                                                 url,
                                                 ": ",
                                                 doing,
                                                 ": ",
                                                 General.exnMessage cause])
                               | Address why => SOME ("HTTPClient: " ^ why)
                               | _ => NONE)

  datatype setting =
      MaxHeader of int
    | MaxFields of int
    | MaxBody of int
    | MaxKept of int
    | KeepTime of Time.time
    | ConnectTime of Time.time
    | SendTime of Time.time
    | AnswerTime of Time.time
    | PieceTime of Time.time
    | MaxRedirects of int
    | Proxy of string -> string option
    | Secure of {host : string} * HTTPTransport'.wire * Time.time -> HTTPTransport'.t
    | KeepCookies

  type request = {method : string, url : string, headers : HTTPHeaders.t, body : HTTPBody.t}

  (* `hasCome`: something of the answer *)
  type connection =
    {transport : HTTPTransport'.t,
     input : Input.t,
     hasCome : bool ref,
     place : string,
     isKept : bool}

  type client =
    {limits : Message.limits,
     most : int,
     keepTime : Time.time,
     connectTime : Time.time,
     sendTime : Time.time,
     answerTime : Time.time,
     pieceTime : Time.time,
     redirects : int,
     proxy : string -> string option,
     secure : ({host : string} * HTTPTransport'.wire * Time.time -> HTTPTransport'.t) option,
     jar : HTTPJar'.t option,
     (* connections that nobody uses: the host and the port, since when, the youngest first *)
     kept : (connection * Time.time) list SyncVar.mvar}

  fun client settings : client =
    let
      fun last setting = Settings'.last settings setting
      val seconds = Time.fromSeconds
    in
      {limits =
         {header = last (fn MaxHeader n => SOME n | _ => NONE, 65536),
          fields = last (fn MaxFields n => SOME n | _ => NONE, 200),
          body = last (fn MaxBody n => SOME n | _ => NONE, valOf Int.maxInt div 2)},
       most = last (fn MaxKept n => SOME n | _ => NONE, 8),
       keepTime = last (fn KeepTime t => SOME t | _ => NONE, seconds 30),
       connectTime = last (fn ConnectTime t => SOME t | _ => NONE, seconds 10),
       sendTime = last (fn SendTime t => SOME t | _ => NONE, seconds 30),
       answerTime = last (fn AnswerTime t => SOME t | _ => NONE, seconds 30),
       pieceTime = last (fn PieceTime t => SOME t | _ => NONE, seconds 30),
       redirects = last (fn MaxRedirects n => SOME n | _ => NONE, 10),
       proxy = last (fn Proxy f => SOME f | _ => NONE, fn _ => NONE),
       secure = last (fn Secure f => SOME (SOME f) | _ => NONE, NONE),
       jar =
         if List.exists (fn KeepCookies => true | _ => false) settings then SOME (HTTPJar'.new ())
         else NONE,
       kept = SyncVar.mVarInit []}
    end

  (* -- addresses *)

  type address = {isSecure : bool, host : string, port : int, target : string}

  fun usual isSecure = if isSecure then 443 else 80
  fun schemeOf ({isSecure, ...} : address) = if isSecure then "https:" else "http:"
  fun authorityOf ({host, port, ...} : address) = concat [host, ":", Int.toString port]
  fun placeOf address = concat [schemeOf address, "//", authorityOf address]
  (* as it stands in the field Host *)
  fun hostOf (address as {isSecure, host, port, ...} : address) =
    if port = usual isSecure then host else authorityOf address

  (* An address of IPv6 has colons, and stands in brackets. *)
  fun hostAndPort authority =
    if Substring.isPrefix "[" authority then
      let
        val (front, back) = Substring.splitl (fn c => c <> #"]") authority
      in
        (Substring.span (front, Substring.slice (back, 0, SOME (Int.min (1, Substring.size back)))),
         Substring.triml 1 back)
      end
    else Substring.splitl (fn c => c <> #":") authority

  fun isSix host = String.isPrefix "[" host
  (* without the brackets *)
  fun bare host = if isSix host then String.substring (host, 1, size host - 2) else host
  fun isHost host =
    if isSix host then
      String.isSuffix "]" host andalso isSome (HTTPText'.six (bare host))
    else
      host <> ""
      andalso CharVector.all
        (fn c => HTTPText'.isHostChar c andalso c <> #"[" andalso c <> #"]")
        host

  fun addressOf url : address =
    let
      fun wrong why = raise Address (concat [why, ": ", String.toString url])
      val (plain, _) = Substring.splitl (fn c => c <> #"#") (Substring.full url)
      val (scheme, rest) = Substring.position "://" plain
      val scheme = HTTPText'.lower (Substring.string scheme)
      val (authority, target) =
        Substring.splitl (fn c => c <> #"/" andalso c <> #"?") (Substring.triml 3 rest)
      val (host, port) = hostAndPort authority
      val (host, target) = (HTTPText'.lower (Substring.string host), Substring.string target)
      val target = if String.isPrefix "/" target then target else "/" ^ target
      val isSecure = scheme = "https"
      val port =
        if Substring.size port <= 1 then usual isSecure
        else
          case HTTPText'.decimal (Substring.string (Substring.triml 1 port)) of
            SOME n => if n > 0 andalso n < 65536 then n else wrong "a port that is none"
          | NONE => wrong "a port that is none"
    in
      if Substring.isEmpty rest then wrong "an address without a scheme"
      else if not (isSecure orelse scheme = "http") then wrong "an address that is not of HTTP"
      else if not (isHost host) then wrong "a host that is none"
      else if not (CharVector.all HTTPText'.isTargetChar target) then
        wrong "a character that no address has"
      else {isSecure = isSecure, host = host, port = port, target = target}
    end

  (* A text with `%` for what no address has: servers write names of files as they are. *)
  val escaped =
    String.translate (fn c =>
      if c > #" " andalso c < #"\127" then String.str c else URL.encode (String.str c))

  (* The address that a text means which stands in the answer from another one: RFC 3986, 5.2. *)
  fun resolve (base as {target, ...} : address, text) =
    let
      val (path, _) = Substring.splitl (fn c => c <> #"?") (Substring.full target)
      val (path, front) = (Substring.string path, placeOf base)
      val (new, query) =
        Substring.splitl (fn c => c <> #"?" andalso c <> #"#") (Substring.full text)
      val (new, query) = (Substring.string new, Substring.string query)
      val isWhole =
        let
          val (scheme, rest) = Substring.splitl HTTPText'.isTokenChar (Substring.full text)
        in
          not (Substring.isEmpty scheme) andalso Substring.isPrefix ":" rest
        end
    in
      if isWhole then text
      else if String.isPrefix "//" text then schemeOf base ^ text
      else if String.isPrefix "/" new then concat [front, URL.withoutDots new, query]
      else if new = "" then
        if String.isPrefix "?" query then concat [front, path, query] else front ^ target
      else
        let
          val folder = Substring.string (Substring.dropr (fn c => c <> #"/") (Substring.full path))
        in
          concat [front, URL.withoutDots (folder ^ new), query]
        end
    end

  (* -- connections *)

  fun deadline time = Time.+ (Time.now (), time)

  fun more ({read, ...} : HTTPTransport'.t, hasCome) until =
    let
      val text = read until
    in
      if text = "" then () else hasCome := true;
      text
    end

  fun sendAll ({write, ...} : HTTPTransport'.t, time) text = write (deadline time, text)

  fun closeOne ({transport = {close, ...}, ...} : connection) = close ()

  (* Connects to one of the addresses, the first one that takes it: `undo` is told how the socket is closed. Gives the
     socket as a wire and as a transport. *)
  fun dial (host, port, undo, until) =
    let
      (* Half of what is left of the time, since nobody may answer there, and other addresses are left. *)
      fun half way =
        let
          val left = Time.toReal until - Time.toReal (Time.now ())
        in
          case Scope.within (Time.fromReal (Real.max (left / 2.0, 0.001))) (fn _ => way ()) of
            SOME made => made
          | NONE => raise OS.SysErr ("no answer", NONE)
        end
      fun prepared (sock, place, noDelay) =
        (undo := (fn () => Socket.close sock handle OS.SysErr _ => ());
         Socket.connect (sock, place);
         noDelay (sock, true);
         (fn () => HTTPTransport'.wire (sock, 65536), fn () => HTTPTransport'.plain (sock, 65536)))
      fun four a () =
        prepared (INetSock.TCP.socket () : Socket.active INetSock.stream_sock,
                  INetSock.toAddr (a, port),
                  INetSock.TCP.setNODELAY)
      fun six a () =
        prepared (INet6Sock.TCP.socket () : Socket.active INet6Sock.stream_sock,
                  INet6Sock.toAddr (a, port),
                  INet6Sock.TCP.setNODELAY)
      fun none () = raise OS.SysErr ("no such host: " ^ host, NONE)
      fun addrs (addrsOf, entry) = Option.getOpt (Option.map addrsOf entry, [])
      fun sixes () = List.map six (addrs (Net6HostDB.addrs, Net6HostDB.getByName host))
      (* The other kind of address is looked for when there is none of the first, or none that answers. *)
      fun try ([], more) = (case more () of [] => none () | ways => last ways)
        | try (way :: ways, more) =
            (if List.null ways then way () else half way)
            handle e as OS.SysErr _ =>
                (! undo ();
                 case ways of
                   [] => (case more () of [] => raise e | ways => last ways)
                 | _ => try (ways, more))
      and last ways = try (ways, fn () => [])
    in
      if isSix host then six (valOf (HTTPText'.six (bare host))) ()
      else
        case HTTPText'.four host of
          SOME a => four a ()
        | NONE =>
            try (List.map four (addrs (NetHostDB.addrs, NetHostDB.getByName host)), sixes)
    end

  (* -- proxies *)

  (* The address of a proxy, and the field that says who asks. *)
  fun proxyOf (url, what) =
    let
      val (scheme, rest) = Substring.position "://" (Substring.full url)
      val (user, host) = Substring.splitr (fn c => c <> #"@") (Substring.triml 3 rest)
      val fields =
        if Substring.isEmpty user then []
        else
          let
            val name = Substring.string (Substring.trimr 1 user)
            val plain = Option.getOpt (URL.decode name, name)
          in
            [("Proxy-Authorization", "Basic " ^ Base64.encode (Byte.stringToBytes plain))]
          end
    in
      case addressOf (concat [Substring.string scheme, "://", Substring.string host]) of
        {isSecure = true, ...} => raise Address ("a proxy that is asked by HTTPS, for " ^ what)
      | address => (address, fields)
    end

  (* NONE: the host itself is asked. *)
  fun proxyFor ({proxy, ...} : client, {host, ...} : address) =
    Option.map (fn url => proxyOf (url, host)) (proxy (bare host))

  fun writeHead (send, lines, fields, headers) =
    send (concat (lines
                  @ List.concat (List.map (fn (n, v) => [n, ": ", v, "\r\n"]) fields)
                  @ Message.linesOf (headers, ["\r\n"])))

  (* Asks a proxy for a way to the host. *)
  fun tunnel (client, transport as {write, ...} : HTTPTransport'.t, address, fields, until) =
    let
      val {limits, ...} : client = client
      val place = authorityOf address
      val () =
        writeHead (fn text => write (until, text),
                   ["CONNECT ", place, " HTTP/1.1\r\nHost: ", place, "\r\n"],
                   fields,
                   Headers.empty)
      val input as {rest, ...} = Input.new (fn until => #read transport until)
      val {status, ...} = HTTP'.readResponse (input, limits, "CONNECT", fn () => until)
    in
      if status >= 200 andalso status < 300 andalso Substring.isEmpty (!rest) then ()
      else
        raise OS.SysErr
          (concat ["the proxy has answered ", Int.toString status, " ", HTTP'.reason status], NONE)
    end

  (* `isOther`: for another protocol than HTTP, which a proxy lets through as it does TLS. *)
  fun connect
    (client as {connectTime, secure, ...} : client,
     address as {isSecure, host, port, ...} : address,
     {isOther}) : connection =
    let
      val until = deadline connectTime
      val proxy = proxyFor (client, address)
      val make = if isSecure then secure else NONE
      (* closes what there is *)
      val undo = ref (fn () => ())
      val made = ref NONE
      fun run _ =
        let
          val (wire, plain) =
            case proxy of
              SOME ({host, port, ...}, _) => dial (host, port, undo, until)
            | NONE => dial (host, port, undo, until)
          val () =
            case (isSecure orelse isOther, proxy) of
              (true, SOME (_, fields)) => tunnel (client, plain (), address, fields, until)
            | _ => ()
          val transport as {close, ...} =
            case make of
              NONE => plain ()
            | SOME make => make ({host = bare host}, wire (), until)
        in
          undo := close;
          made := SOME transport
        end
    in
      ignore (Scope.within connectTime run)
      handle e => (! undo (); raise e);
      case !made of
        SOME transport =>
          let
            val hasCome = ref false
          in
            {transport = transport,
             input = Input.new (more (transport, hasCome)),
             hasCome = hasCome,
             place = placeOf address,
             isKept = false}
          end
      | NONE => (! undo (); raise Input.TimeOut)
    end

  (* Is it still open? Nothing may have come on a connection that nobody uses. *)
  fun isOpen ({transport = {isIdle, ...}, input = {rest, ...}, ...} : connection) =
    Substring.isEmpty (!rest) andalso isIdle () handle OS.SysErr _ => false

  (* Not cancelled, for the wait is short: a connection that comes back would be lost. *)
  fun change ({kept, ...} : client) f =
    Scope.shield (fn () =>
      let
        val (result, all) = f (SyncVar.mTake kept)
      in
        SyncVar.mPut (kept, all);
        result
      end)

  (* A connection that is kept, the youngest first; those that are too old are closed. *)
  fun take (client as {keepTime, ...} : client, address) =
    let
      val place = placeOf address
      val oldest = Time.- (Time.now (), keepTime)
      fun choose all =
        let
          val (young, old) = List.partition (fn (_, since) => Time.> (since, oldest)) all
          fun go ([], others) = (NONE, List.rev others)
            | go ((entry as (c : connection, _)) :: rest, others) =
                if #place c = place then (SOME c, List.revAppend (others, rest))
                else go (rest, entry :: others)
          val (found, young) = go (young, [])
        in
          ((found, old), young)
        end
      val (found, old) = change client choose
    in
      List.app (fn (c, _) => closeOne c) old;
      case found of
        NONE => NONE
      | SOME c => if isOpen c then SOME c else (closeOne c; take (client, address))
    end

  (* So many are kept in all; a client that asks very many hosts does not come back to most of them. *)
  val mostKept = 128

  fun give
    (client as {most, ...} : client, c as {transport, input, hasCome, place, ...} : connection) =
    let
      val entry =
        ({transport = transport, input = input, hasCome = hasCome, place = place, isKept = true},
         Time.now ())
      fun put all =
        if List.length (List.filter (fn (d : connection, _) => #place d = place) all) >= most then
          ([c], all)
        else if List.length all < mostKept then ([], entry :: all)
        else ([#1 (List.last all)], entry :: List.take (all, mostKept - 1))
    in
      List.app closeOne (change client put)
    end

  fun close client =
    List.app (fn (c, _) => closeOne c) (change client (fn all => (all, [])))

  (* -- one request *)

  fun has (words, word) = List.exists (fn w => w = word) words

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
  fun whenever () = deadline (Time.fromSeconds 1000000000)

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

  (* A body of more bytes may not find room on the way to the server: it is sent while the answer is read. *)
  val largest = 65536

  (* Sends it over a connection, and reads the header of the answer. *)
  fun exchange
    (client,
     c as {transport, input, ...} : connection,
     address,
     {method, headers, body, ...} : request) =
    let
      val {limits, sendTime, answerTime, pieceTime, ...} : client = client
      (* RFC 9112, 3.2.2: a proxy is asked for the whole address *)
      val (target, headers) =
        case if #isSecure address then NONE else proxyFor (client, address) of
          NONE => (#target address, headers)
        | SOME (_, fields) =>
            (concat ["http://", hostOf address, #target address],
             List.foldl (fn (field, h) => Headers.add field h) headers fields)
      fun write () =
        HTTP'.writeRequest (sendAll (transport, sendTime)) {method = method,
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
        HTTP'.bodyOf (input, framing, limits, fn () => deadline pieceTime, ended)
      fun answer ({status, headers, ...} : Message.response, body) : HTTP.response =
        {status = status,
         headers = headers,
         (* The answer to HEAD has no body, and that says nothing of the length of the one that GET has. *)
         body =
           if method = "HEAD" then
             Body.stream {length = NONE, next = fn () => "", close = fn () => ()}
           else body}

      fun small () =
        let
          (* If the server does not take it all it may have answered already. *)
          val lost = (write (); NONE) handle e as OS.SysErr _ => SOME e
          val until = deadline answerTime
          val response = read (fn () => until) handle e => raise Option.getOpt (lost, e)
          val framing = framingOf response
          val isKept = not (isSome lost) andalso isKeptAfter (response, framing)
          fun ended isOver = if isOver andalso isKept then give (client, c) else closeOne c
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
                      give (client, c)
                    else closeOne c;
                    check ()
                  end
              fun next () =
                let
                  val () = check ()
                  val piece = Body.read body handle e => (check (); raise e)
                in
                  if piece = "" orelse Body.length body = SOME 0 then settle () else ();
                  piece
                end
              fun close () =
                (Body.close body;
                 if !isSettled then ()
                 else (isSettled := true; ignore (stopped sending); closeOne c))
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

  fun isRepeatable method = has (["GET", "HEAD", "PUT", "DELETE", "OPTIONS"], method)

  (* A text can be sent again. *)
  fun copied (Body.TEXT text) = SOME (Body.string (!text))
    | copied _ = NONE

  fun once (client, url, address, request as {method, headers, body, ...} : request) =
    let
      fun failed (doing, cause) = raise Failed {url = url, doing = doing, cause = cause}
      fun try (c as {hasCome, isKept, ...} : connection, again) =
        (hasCome := false; exchange (client, c, address, request))
        handle e =>
            let
              val () = closeOne c
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
        case (if isSome again then take (client, address) else NONE) of
          SOME c => try (c, again)
        | NONE =>
            let
              val c =
                connect (client, address, {isOther = false})
                handle Scope.Cancelled => raise Scope.Cancelled
                     | e => failed ("connecting to " ^ authorityOf address, e)
            in
              exchange (client, c, address, request)
              handle e =>
                  (closeOne c;
                   case e of
                     Scope.Cancelled => raise e
                   | _ => failed ("waiting for the answer", e))
            end
    in
      case copied body of
        SOME again => send (SOME again, request)
      | NONE =>
          case take (client, address) of
            SOME c => try (c, NONE)
          | NONE => send (NONE, request)
    end

  (* -- cookies *)

  fun jarPlace ({isSecure, host, target, ...} : address) : HTTPJar'.place =
    {host = HTTPText'.lower host, path = HTTPJar'.pathOf target, isSecure = isSecure}

  (* The fields with the cookies that the client has, behind those that they name themselves. *)
  fun withCookies ({jar, ...} : client, address, headers) =
    case Option.mapPartial (fn jar => HTTPJar'.line (jar, jarPlace address)) jar of
      NONE => headers
    | SOME line =>
        Headers.set
          ("Cookie", String.concatWith "; " (Headers.all headers "cookie" @ [line]))
          headers

  fun keepCookies ({jar, ...} : client, address, said) =
    Option.app (fn jar => HTTPJar'.take (jar, jarPlace address, Headers.all said "set-cookie")) jar

  (* -- redirections *)

  val mostSkipped = 65536

  fun send (client as {redirects, secure, ...} : client) (request : request) =
    let
      fun go (left, {method, url, headers, body} : request) =
        let
          val address as {isSecure, ...} = addressOf url
          val () =
            if isSecure andalso not (isSome secure) then
              raise Address ("this client has no TLS: " ^ String.toString url)
            else ()
          val again = copied body
          val response as {status, headers = said, body = rest} =
            once (client,
                  url,
                  address,
                  {method = method,
                   url = url,
                   headers = withCookies (client, address, headers),
                   body = body})
          val () = keepCookies (client, address, said)
          fun follow (method, body, headers) =
            case Headers.get said "location" of
              NONE => response
            | SOME place =>
                let
                  val () =
                    HTTPBody.skip {most = mostSkipped} rest handle e => (Body.close rest; ignore e)
                  val () =
                    if left = 0 then
                      raise Failed {url = url,
                                    doing = "following redirections",
                                    cause = Fail "there are too many"}
                    else ()
                  val next = resolve (address, escaped place)
                  val isSame = placeOf (addressOf next) = placeOf address
                  val headers =
                    if isSame then headers
                    else
                      List.foldl
                        (fn (name, h) => Headers.remove name h)
                        headers
                        ["authorization", "cookie"]
                in
                  go (left - 1, {method = method, url = next, headers = headers, body = body})
                end
          (* by GET there is no body, and so none is described *)
          fun byGet () =
            follow (if method = "HEAD" then "HEAD" else "GET",
                    Body.empty,
                    Headers.FIELDS (List.filter
                                      (fn (n, _) =>
                                        not (String.isPrefix "content-" (HTTPText'.lower n)))
                                      (Headers.toList headers)))
        in
          if redirects = 0 then response
          else
            case (status, again) of
              (303, _) => byGet ()
            | (301, _) =>
                if method = "POST" then byGet ()
                else repeat (follow, method, again, headers, response)
            | (302, _) =>
                if method = "POST" then byGet ()
                else repeat (follow, method, again, headers, response)
            | (307, _) => repeat (follow, method, again, headers, response)
            | (308, _) => repeat (follow, method, again, headers, response)
            | _ => response
        end
      and repeat (follow, method, again, headers, response) =
        case again of
          SOME body => follow (method, body, headers)
        | NONE => response
    in
      (* A body that was not sent is closed, too. *)
      go
        (redirects, request)
      handle e => (Body.close (#body request); raise e)
    end

  (* -- other protocols *)

  fun upgrade (client as {limits, secure, sendTime, answerTime, ...} : client)
    {url, fields, headers, isRight} =
    let
      (* the addresses of WebSockets have schemes of their own *)
      val url' =
        case Substring.position ":" (Substring.full url) of
          (scheme, rest) =>
            (case HTTPText'.lower (Substring.string scheme) of
               "ws" => "http" ^ Substring.string rest
             | "wss" => "https" ^ Substring.string rest
             | _ => url)
      val address as {isSecure, target, ...} = addressOf url'
      val () =
        if isSecure andalso not (isSome secure) then
          raise Address ("this client has no TLS: " ^ String.toString url)
        else ()
      fun failed (doing, cause) = raise Failed {url = url, doing = doing, cause = cause}
      val c as {transport, input, ...} =
        connect (client, address, {isOther = true})
        handle Scope.Cancelled => raise Scope.Cancelled
             | e => failed ("connecting to " ^ authorityOf address, e)
      val send = sendAll (transport, sendTime)
      fun ask () =
        let
          val () =
            writeHead (send,
                       ["GET ",
                        target,
                        " HTTP/1.1\r\nHost: ",
                        hostOf address,
                        "\r\nConnection: Upgrade\r\n"],
                       fields,
                       withCookies (client, address, Headers.remove "host" headers))
          val until = deadline answerTime
          val {status, headers = said, ...} =
            HTTP'.readResponse (input, limits, "GET", fn () => until)
          val () = keepCookies (client, address, said)
        in
          if status <> 101 then
            raise Fail
              (concat ["the server has answered ", Int.toString status, " ", HTTP'.reason status])
          else if isRight said then ()
          else raise Fail "the server has agreed to something else"
        end
    in
      ask ()
      handle e =>
          (closeOne c;
           case e of
             Scope.Cancelled => raise e
           | _ => failed ("asking for another protocol", e));
      {input = input, send = send, close = fn () => closeOne c}
    end

  datatype outcome = GOT of HTTP.response | RAISED of exn
  (* another event of the choice has happened *)
  exception Unwanted

  fun sendEvt client request =
    withNack (fn nack =>
      let
        val channel = channel ()
        fun run () =
          let
            (* The response is there though the scope was cancelled in the end. *)
            val made = ref NONE
            fun closeMade () =
              case !made of SOME ({body, ...} : HTTP.response) => Body.close body | NONE => ()
            fun ask scope =
              let
                val () =
                  Scope.daemon scope (fn () => (sync nack; Scope.cancel (scope, Unwanted)))
                val response = send client request
              in
                made := SOME response;
                response
              end
            (* that of a request whose body says CML.exit *)
            val outcome = ref (RAISED Scope.Cancelled)
            fun askIt () =
              outcome := (GOT (Scope.run ask) handle e => (closeMade (); RAISED e))
            fun forget () =
              case !outcome of
                GOT {body, ...} => Body.close body
              | RAISED _ => ()
            fun give () = select [CML.sendEvt (channel, !outcome), wrap (nack, forget)]
          in
            Scope.finally (askIt, give)
          end
      in
        ignore (spawn run);
        wrap (recvEvt channel, fn GOT response => response | RAISED e => raise e)
      end)

  fun get client url =
    send client {method = "GET", url = url, headers = Headers.empty, body = Body.empty}
  fun post client {url, kind} text =
    send client {method = "POST",
                 url = url,
                 headers = Headers.fromList [("Content-Type", kind)],
                 body = Body.string text}
end

structure HTTPClient : HTTP_CLIENT = HTTPClient'
