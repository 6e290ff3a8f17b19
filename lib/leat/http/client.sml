(* HTTPClient: requests to servers, over connections that are kept and used again. *)

signature HTTP_CLIENT =
sig
  type client

  (* What was asked, what was being done, and why it failed. Reading the body of an answer raises it, too. *)
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
    (* for how long: 30 s. Those that are older, to whatever host, are closed when the client makes its next request or
       has read a response to its end; no thread waits for that. A client that is to make no more requests is closed. *)
    | KeepTime of Time.time
    (* how long it may take to find the host and to be connected: 10 s *)
    | ConnectTime of Time.time
    (* how long the server may take nothing of what is sent, between two moments at which it takes some: 30 s. A request
       as a whole may take any time. *)
    | SendTime of Time.time
    (* how long the header of the response may take, and that of each redirection before it: 30 s *)
    | AnswerTime of Time.time
    (* how long each piece of the response's body may take: 30 s *)
    | PieceTime of Time.time
    (* how many redirections are followed: 10 *)
    | MaxRedirects of int
    (* The proxy for a host, by the host's name: `http://PROXY:PORT`, with `NAME:PASSWORD@` before it if the proxy asks
       for that. NONE, as for all hosts without this setting: the host itself is asked. The function is called for each
       request, and may say something else each time. The proxy sees requests for `http:` as a whole. Hosts of addresses
       that begin with `https:`, `ws:` or `wss:` are reached through it by CONNECT; so it sees of `https:` and `wss:` no
       more than the host's name and port. *)
    | Proxy of string -> string option
    (* Makes what a connection to a host is carried by, until that time, if the address begins with `https:`;
       `HTTPS.client` gives this setting. *)
    | Secure of {host : string} * SocketWire'.t * Time.time -> HTTPTransport'.t
    (* Keeps the cookies that servers set, as long as the client lives, and gives them back (RFC 6265), also on the
       way of a redirection. Without it they are fields of the answers as any other. A cookie for a whole domain is
       taken if the domain has a dot; there is no list of domains such as `co.uk`. An answer without TLS replaces no
       cookie that is for TLS alone. *)
    | KeepCookies

  (* A client with a pool of connections of its own, and these settings in place of the usual ones. *)
  val client : setting list -> client

  type request = {method : string, url : string, headers : HTTPHeaders.t, body : HTTPBody.t}

  (* Asks, and waits for the header of the response. Its body must be read to the end, or closed: then its connection
     can be used again. `url` is an address `http://HOST:PORT/PATH?QUERY`, or
     `https:` if the client was made with that. Redirections are followed: 303, and 301 and
     302 after POST, by GET; 307 and 308 if the body is a text. Another host is not given the fields Authorization,
     Proxy-Authorization and Cookie.

     A request whose method may be repeated (GET, HEAD, PUT, DELETE, OPTIONS) and whose body is a text is sent once more
     if a connection that was kept ends before a byte of the answer: the server has closed it meanwhile.

     A body of more than 64 KB, or of unknown length, is sent by another thread, and the response may be there before
     all is sent. The end of its body waits for that; when it is closed before its end, the rest is not sent. What the
     request's body raises is the cause of what the response's body raises, if that is there. Raises Address for a `url`
     that is none, or that this client cannot ask, and Failed for all else, as a redirection to such an address. *)
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
    -> {input : HTTPInput'.t, send : string -> unit, abort : unit -> unit, close : unit -> unit}
end =
struct
  open CML
  open HTTPAddress'
  structure Body = HTTPBody'
  structure Headers = HTTPHeaders'
  structure Connections = HTTPConnections'
  structure Exchange = HTTPExchange'

  exception Failed = Exchange.Failed

  (* -- settings *)

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
    | Secure of {host : string} * SocketWire'.t * Time.time -> HTTPTransport'.t
    | KeepCookies

  type client = Connections.client
  type request = Exchange.request

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

  val close = Connections.close

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

  (* The address that a URL is, if this client can ask it; `url` is what the program has written. *)
  fun asked ({secure, ...} : client, url, plain) =
    let
      val address as {isSecure, ...} = addressOf plain
    in
      if isSecure andalso not (isSome secure) then
        raise Address ("this client has no TLS: " ^ String.toString url)
      else address
    end

  (* The body of a redirection is passed over so that its connection can be used again. It has come with the header, as
     a rule; one that is longer, or takes longer, costs more than another connection. *)
  val mostSkipped = 65536
  val skipTime = Time.fromSeconds 1

  fun pass ({answerTime, ...} : client, body) =
    let
      val time = if Time.< (answerTime, skipTime) then answerTime else skipTime
    in
      ignore (Scope.within time (fn _ => HTTPBody.skip {most = mostSkipped} body))
      handle Scope.Cancelled => (Body.close body; raise Scope.Cancelled)
           (* nothing that it may be matters *)
           | _ => ();
      Body.close body
    end

  fun send (client as {redirects, ...} : client) (request : request) =
    let
      fun go (left, address, {method, url, headers, body} : request) =
        let
          val again = Exchange.copied body
          val response as {status, headers = said, body = rest} =
            Exchange.once (client,
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
                  val () = pass (client, rest)
                  fun failed cause =
                    raise Failed {url = url, doing = "following redirections", cause = cause}
                  val () = if left = 0 then failed (Fail "there are too many") else ()
                  val next = resolve (address, escaped place)
                  val nextAddress = asked (client, next, next) handle e as Address _ => failed e
                  val isSame = placeOf nextAddress = placeOf address
                  val headers =
                    if isSame then headers
                    else
                      List.foldl
                        (fn (name, h) => Headers.remove name h)
                        headers
                        ["authorization", "proxy-authorization", "cookie"]
                in
                  go (left - 1,
                      nextAddress,
                      {method = method, url = next, headers = headers, body = body})
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
        (redirects, asked (client, #url request, #url request), request)
      handle e => (Body.close (#body request); raise e)
    end

  (* -- other protocols *)

  fun upgrade (client as {limits, sendTime, answerTime, ...} : client)
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
      val address as {target, ...} = asked (client, url, url')
      fun failed (doing, cause) = raise Failed {url = url, doing = doing, cause = cause}
      val c as {transport, input, ...} =
        Connections.connect
          (client, address, Connections.proxyFor (client, address), {isOther = true})
        handle Scope.Cancelled => raise Scope.Cancelled
             | e => failed ("connecting to " ^ authorityOf address, e)
      val send = Connections.sendAll (transport, sendTime)
      fun ask () =
        let
          val () =
            Connections.writeHead (send,
                                   ["GET ",
                                    target,
                                    " HTTP/1.1\r\nHost: ",
                                    hostOf address,
                                    "\r\nConnection: Upgrade\r\n"],
                                   fields,
                                   withCookies (client, address, Headers.remove "host" headers))
          val until = Connections.deadline answerTime
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
          (Connections.closeOne c;
           case e of
             Scope.Cancelled => raise e
           | _ => failed ("asking for another protocol", e));
      {input = input,
       send = send,
       abort = #abort transport,
       close = fn () => Connections.closeOne c}
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
