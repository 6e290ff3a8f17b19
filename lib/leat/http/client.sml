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
    (* Makes what a connection to a host is carried by, until that time, if the address begins with `https:`;
       `HTTPS.client` gives this setting. *)
    | Secure of {host : string} * HTTPTransport'.wire * Time.time -> HTTPTransport'.t

  (* A client with a pool of connections of its own, and these settings in place of the usual ones. *)
  val client : setting list -> client

  type request = {method : string, url : string, headers : HTTPHeaders.t, body : HTTPBody.t}

  (* Asks, and waits for the header of the response. Its body must be read to the end, or closed: then its connection
     can be used again. `url` is an address `http://HOST:PORT/PATH?QUERY`, or
     `https:` if the client was made with that. Redirections are followed: 303, and 301 and
     302 after POST, by GET; 307 and 308 if the body is a text. Another host is not given the fields Authorization and
     Cookie.

     A request whose method may be repeated (GET, HEAD, PUT, DELETE, OPTIONS) and whose body is a text is sent once more
     if a connection that was kept ends before a byte of the answer: the server has closed it meanwhile. Raises Failed.
     *)
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

structure HTTPClient :> HTTP_CLIENT =
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
    | Secure of {host : string} * HTTPTransport'.wire * Time.time -> HTTPTransport'.t

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
     secure : ({host : string} * HTTPTransport'.wire * Time.time -> HTTPTransport'.t) option,
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
       secure = last (fn Secure f => SOME (SOME f) | _ => NONE, NONE),
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

  fun addressOf url : address =
    let
      fun wrong why = raise Address (concat [why, ": ", String.toString url])
      val (plain, _) = Substring.splitl (fn c => c <> #"#") (Substring.full url)
      val (scheme, rest) = Substring.position "://" plain
      val scheme = HTTPText'.lower (Substring.string scheme)
      val (authority, target) =
        Substring.splitl (fn c => c <> #"/" andalso c <> #"?") (Substring.triml 3 rest)
      val (host, port) = Substring.splitl (fn c => c <> #":") authority
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
      else if host = "" orelse not (CharVector.all HTTPText'.isHostChar host) then
        wrong "a host that is none"
      else if not (CharVector.all HTTPText'.isTargetChar target) then
        wrong "a character that no address has"
      else {isSecure = isSecure, host = host, port = port, target = target}
    end

  (* The parts of a path without `.` and `..`: RFC 3986, 5.2.4. *)
  fun withoutDots path =
    let
      fun go ([], done) = done
        | go (["."], done) = "" :: done
        | go ([".."], done) = "" :: (case done of [] => [] | _ :: rest => rest)
        | go ("." :: parts, done) = go (parts, done)
        | go (".." :: parts, done) = go (parts, case done of [] => [] | _ :: rest => rest)
        | go (part :: parts, done) = go (parts, part :: done)
    in
      "/" ^ String.concatWith "/" (List.rev (go (tl (String.fields (fn c => c = #"/") path), [])))
    end

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
      else if String.isPrefix "/" new then concat [front, withoutDots new, query]
      else if new = "" then if query = "" then front ^ target else concat [front, path, query]
      else
        let
          val folder = Substring.string (Substring.dropr (fn c => c <> #"/") (Substring.full path))
        in
          concat [front, withoutDots (folder ^ new), query]
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

  fun connect
    ({connectTime, secure, ...} : client, address as {isSecure, host, port, ...} : address) :
    connection =
    let
      val until = deadline connectTime
      val make = if isSecure then secure else NONE
      (* closes what there is *)
      val undo = ref (fn () => ())
      val made = ref NONE
      fun run _ =
        let
          val place =
            case NetHostDB.fromString host of
              SOME a => a
            | NONE =>
                case NetHostDB.getByName host of
                  SOME entry => NetHostDB.addr entry
                | NONE => raise OS.SysErr ("no such host: " ^ host, NONE)
          val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
          val () = undo := (fn () => Socket.close sock handle OS.SysErr _ => ())
          val () = Socket.connect (sock, INetSock.toAddr (place, port))
          val () = INetSock.TCP.setNODELAY (sock, true)
          val transport as {close, ...} =
            case make of
              NONE => HTTPTransport'.plain (sock, 65536)
            | SOME make => make ({host = host}, HTTPTransport'.wire (sock, 65536), until)
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

  fun change ({kept, ...} : client) f =
    let
      val (result, all) = f (SyncVar.mTake kept)
    in
      SyncVar.mPut (kept, all);
      result
    end

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

  (* Sends it over a connection. If the server does not take it all it may have answered already. *)
  fun exchange
    (client,
     c as {transport, input, ...} : connection,
     address,
     {method, headers, body, ...} : request) =
    let
      val {limits, sendTime, answerTime, pieceTime, ...} : client = client
      val lost =
        (HTTP'.writeRequest (sendAll (transport, sendTime)) {method = method,
                                                             target = #target address,
                                                             host = hostOf address,
                                                             headers = headers,
                                                             body = body};
         NONE)
        handle e as OS.SysErr _ => SOME e
      val until = deadline answerTime
      val response as {status, minor, headers} =
        HTTP'.readResponse (input, limits, method, fn () => until)
        handle e => raise Option.getOpt (lost, e)
      val framing = Message.responseFraming (method, response, limits)
      val said = Headers.words headers "connection"
      val isKept =
        not (isSome lost)
        andalso not (has (said, "close"))
        andalso (minor = 1 orelse has (said, "keep-alive"))
        andalso status <> 101
        andalso (case framing of Message.UNTIL_CLOSE => false | _ => true)
      fun ended isOver = if isOver andalso isKept then give (client, c) else closeOne c
      val body = HTTP'.bodyOf (input, framing, limits, fn () => deadline pieceTime, ended)
    in
      (case body of
         Body.STREAM _ => ()
       | _ => ended true);
      {status = status, headers = headers, body = body} : HTTP.response
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
                connect (client, address)
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
            once
              (client, url, address, {method = method, url = url, headers = headers, body = body})
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
                  val next = resolve (address, place)
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
      go (redirects, request)
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
            val outcome =
              GOT (Scope.run (fn scope =>
                     (Scope.daemon scope (fn () => (sync nack; Scope.cancel (scope, Unwanted)));
                      send client request)))
              handle e => RAISED e
            fun forget () =
              case outcome of
                GOT {body, ...} => Body.close body
              | RAISED _ => ()
          in
            select [CML.sendEvt (channel, outcome), wrap (nack, forget)]
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
