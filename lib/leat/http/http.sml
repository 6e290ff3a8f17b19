(* HTTP: requests and responses as values, and the texts that they are read from and written to. *)

signature HTTP =
sig
  (* What is known of a connection by TLS: the version, the cipher, the protocol that was agreed on, the name that the
     client has asked for, and the certificates (DER) that the other side has shown, its own first. *)
  type secure =
    {version : string,
     cipher : string,
     protocol : string option,
     name : string option,
     certificates : Word8Vector.vector list}

  (* What a client asks for. *)
  type request =
    {method : string,
     (* as it was sent: a path with its query; `*` and a host with a port are targets, too *)
     target : string,
     (* the parts of the path between its slashes, decoded; the path of a folder ends with an empty one *)
     path : string list,
     (* what is behind the first `?`, as it was sent; see HTTPForm *)
     query : string,
     (* the host that was asked, with its port; the empty string if HTTP/1.0 did not say it *)
     host : string,
     (* 1 for HTTP/1.1, 0 for HTTP/1.0 *)
     minor : int,
     headers : HTTPHeaders.t,
     body : HTTPBody.t,
     (* the other side's address *)
     peer : string,
     (* if it came by HTTPS *)
     secure : secure option}

  type response = {status : int, headers : HTTPHeaders.t, body : HTTPBody.t}

  type handler = request -> response

  (* what is said of a status: "Not Found" *)
  val reason : int -> string

  (* A status and a text. *)
  val text : int -> string -> response
  (* A status and a page, as `text/html` in UTF-8. *)
  val html : int -> string -> response
  (* A text that is JSON. *)
  val json : int -> string -> response
  (* A status, its kind of content, and a text. *)
  val content : int -> {kind : string} -> string -> response
  (* nothing but a status and what is said of it *)
  val status : int -> response
  (* 303 See Other: another address has the answer, by GET *)
  val seeOther : string -> response
  (* 308 Permanent Redirect *)
  val moved : string -> response
  (* The response with one more field. *)
  val withHeader : string * string -> response -> response

  (* The request with another body. *)
  val withBody : HTTPBody.t -> request -> request
  (* With other parts of its path; `target` stays as it was sent. *)
  val withPath : string list -> request -> request
  (* With other fields. *)
  val withHeaders : HTTPHeaders.t -> request -> request
end

structure HTTP' =
struct
  open HTTPText'
  structure Headers = HTTPHeaders'
  structure Body = HTTPBody'
  structure Message = HTTPMessage'

  type secure = HTTPTransport'.secure
  type request =
    {method : string,
     target : string,
     path : string list,
     query : string,
     host : string,
     minor : int,
     headers : HTTPHeaders.t,
     body : HTTPBody.t,
     peer : string,
     secure : HTTPTransport'.secure option}
  type response = {status : int, headers : HTTPHeaders.t, body : HTTPBody.t}
  type handler = request -> response

  fun reason status = Message.reason status

  fun content status {kind} text =
    {status = status, headers = Headers.fromList [("Content-Type", kind)], body = Body.string text}
  val plain = "text/plain; charset=utf-8"
  fun text status = content status {kind = plain}
  fun html status = content status {kind = "text/html; charset=utf-8"}
  fun json status = content status {kind = "application/json"}
  (* RFC 9110, 15.3.6 and 15.4.5: 205 has no content, and what is said of content in 304 is that of 200. *)
  fun status code =
    if code = 205 orelse code = 304 then
      {status = code, headers = Headers.empty, body = Body.empty} : response
    else text code (concat [Int.toString code, " ", reason code, "\n"])
  fun withHeader field {status, headers, body} : response =
    {status = status, headers = Headers.add field headers, body = body}

  (* The one place that names all fields of a request to change some. *)
  fun withParts
    (f : HTTPHeaders.t * HTTPBody.t * string list -> HTTPHeaders.t * HTTPBody.t * string list)
    ({method, target, path, query, host, minor, headers, body, peer, secure} : request) : request =
    let
      val (headers, body, path) = f (headers, body, path)
    in
      {method = method,
       target = target,
       path = path,
       query = query,
       host = host,
       minor = minor,
       headers = headers,
       body = body,
       peer = peer,
       secure = secure}
    end
  fun withBody body = withParts (fn (headers, _, path) => (headers, body, path))
  fun withPath path = withParts (fn (headers, body, _) => (headers, body, path))
  fun withHeaders headers = withParts (fn (_, body, path) => (headers, body, path))

  fun seeOther place = withHeader ("Location", place) (status 303)
  fun moved place = withHeader ("Location", place) (status 308)

  (* The parts of a path. *)
  fun split path =
    if String.isPrefix "/" path then
      List.map
        (fn part =>
          case URL.decode part of
            SOME part => part
          | NONE => HTTPInput'.bad "a `%` without two hexadecimal digits")
        (String.fields (fn c => c = #"/") (String.extract (path, 1, NONE)))
    else []

  (* A request whose header has been read. *)
  fun requestOf
    ({method, target = {authority, path = target}, minor, headers} : Message.request,
     body,
     peer,
     secure) : request =
    let
      val (path, query) = Substring.splitl (fn c => c <> #"?") (Substring.full target)
      val host =
        case authority of
          SOME host => host
        | NONE => Option.getOpt (Headers.get headers "host", "")
    in
      {method = method,
       target = if target = "" then host else target,
       path = split (Substring.string path),
       query = Substring.string (Substring.triml 1 query),
       host = host,
       minor = minor,
       headers = headers,
       body = body,
       peer = peer,
       secure = secure}
    end

  fun tooLong text =
    if Char.contains text #"\n" then HTTPInput'.Bad (431, "the header is too long")
    else HTTPInput'.Bad (414, "the first line is too long")

  (* The text of a request's header; NONE at the end. Some empty lines before it are passed over. *)
  fun requestHeader (input as {rest, ...} : HTTPInput'.t, {header, ...} : Message.limits, until) =
    let
      fun isEnd () =
        Substring.isEmpty (!rest)
        andalso ((HTTPInput'.fill (input, until); false)
                 handle HTTPInput'.Closed => true
                      | HTTPInput'.CutOff => true
                      | HTTPInput'.TimeOut => true)
      fun go left =
        if isEnd () then NONE
        else if Substring.sub (!rest, 0) = #"\r" then
          if left = 0 then HTTPInput'.bad "too many empty lines"
          else
            (ignore (HTTPInput'.line (input,
                                      until,
                                      2,
                                      HTTPInput'.Bad (400, "a carriage return without a newline")));
             go (left - 1))
        else SOME (HTTPInput'.upTo (input, 2, until, header, tooLong))
    in
      go 8
    end

  (* The body that comes, if one does. *)
  fun bodyOf (input, framing, limits, until, close) =
    case framing of
      Message.NO_BODY => Body.empty
    | Message.LENGTH 0 => Body.empty
    | _ =>
        let
          val {next, isOver, trailers} = Message.pieces (input, framing, limits, until)
          val length = case framing of Message.LENGTH n => SOME n | _ => NONE
        in
          Body.streamWith trailers {length = length,
                                    next = next,
                                    close = fn () => close (isOver ())}
        end

  (* How a response to such a request is written: the lines that say where it ends, if it has a body, and in chunks; and
     whether the connection can be used further. *)
  datatype ending = NOTHING | WHOLE | CHUNKS | TO_THE_END
  fun chunkLines body =
    case #names (Body.trailersOf body) of
      [] => ["Transfer-Encoding: chunked\r\n"]
    | names =>
        ["Transfer-Encoding: chunked\r\nTrailer: ", String.concatWith ", " names, "\r\n"]
  fun endingOf ({method, minor}, {status, headers, body} : response) =
    if status < 200 orelse status = 204 then ([], NOTHING)
    else
      case Body.length body of
        SOME n =>
          (* A 304 without a body says nothing of the length that 200 would have. *)
          (if status = 304 andalso n = 0 then []
           else ["Content-Length: ", Int.toString n, "\r\n"],
           if method = "HEAD" orelse status = 304 then NOTHING else WHOLE)
      | NONE =>
          if method = "HEAD" orelse status = 304 then
            (* the length that another server has said, as in the answer of HTTPClient *)
            (case Option.mapPartial decimal (Headers.get headers "content-length") of
               SOME n => (["Content-Length: ", Int.toString n, "\r\n"], NOTHING)
             | NONE => ([], NOTHING))
          else if minor = 1 then (chunkLines body, CHUNKS)
          else ([], TO_THE_END)

  fun statusLine 200 = "HTTP/1.1 200 OK\r\n"
    | statusLine status =
        if status < 100 orelse status > 999 then
          raise Headers.Invalid ("a status: " ^ Int.toString status)
        else concat ["HTTP/1.1 ", Int.toString status, " ", reason status, "\r\n"]

  (* Pieces are joined up to this size, rather than sent one by one. *)
  val largest = 65536

  (* Events for a browser: the first one may come late, and the other side waits for the header. *)
  fun isOfEvents headers =
    case Headers.get headers "content-type" of
      SOME kind => String.isPrefix "text/event-stream" (HTTPText'.lower kind)
    | NONE => false

  (* Sends a header and a body. The header, its lines before those of a list, goes with the first piece, so that what goes
     wrong before that can still be answered; where it is not to wait, which is asked of streams alone, it goes before. *)
  fun sendWith (send, header, ending, body, isToWait) =
    let
      fun framed piece = case ending of CHUNKS => Message.chunkOf piece | _ => piece
      (* asked when the body has been read to its end *)
      fun last () =
        case ending of CHUNKS => [Message.lastChunkOf (Body.trailers body)] | _ => []
      fun first rest = send (String.concat (header rest))
      fun go () =
        case Body.read body of
          "" => List.app send (last ())
        (* Neither may have had to wait. *)
        | piece => (send (framed piece); Scope.check (); go ())
      fun begin "" = first (last ())
        | begin piece =
            if size piece > largest then (first []; send (framed piece); go ())
            else (first [framed piece]; go ())
    in
      (case (ending, body) of
         (NOTHING, _) => first []
       | (_, Body.TEXT (ref piece)) =>
           if size piece > largest then (first []; send piece) else first [piece]
       | _ =>
           (* its functions may say CML.exit *)
           Scope.finally (fn () =>
                            if isToWait () then begin (Body.read body) else (first []; go ()),
                          fn () => Body.close body))
      handle e => (Body.close body; raise e);
      Body.close body
    end

  fun writeRequest send {method, target, host, headers, body} =
    let
      val () =
        if isToken method
           andalso CharVector.all isTargetChar target
           andalso target <> ""
           andalso (host = "" orelse isHostAndPort host)
        then ()
        else raise Headers.Invalid (String.toString (concat [method, " ", target, " of ", host]))
      val (ends, ending) =
        case Body.length body of
          SOME 0 =>
            if List.exists (fn m => m = method) ["POST", "PUT", "PATCH"] then
              (["Content-Length: 0\r\n"], NOTHING)
            else ([], NOTHING)
        | SOME n => (["Content-Length: ", Int.toString n, "\r\n"], WHOLE)
        | NONE => (chunkLines body, CHUNKS)
      fun header rest =
        method
        :: " "
        :: target
        :: " HTTP/1.1\r\nHost: "
        :: host
        :: "\r\n"
        :: Message.linesOf (Headers.remove "host" headers, ends @ "\r\n" :: rest)
    in
      sendWith (send, header, ending, body, fn () => true)
    end

  fun writeResponse send about (response as {status, headers, body} : response) =
    let
      val (ends, ending) = endingOf (about, response)
    in
      sendWith (send,
                fn rest => statusLine status :: Message.linesOf (headers, ends @ "\r\n" :: rest),
                ending,
                body,
                fn () => not (isOfEvents headers))
    end

  (* The next response, and how its body ends; interim ones are passed over. *)
  fun readResponse (input, limits as {header, ...} : Message.limits, method, until) =
    let
      fun go left =
        let
          val text =
            HTTPInput'.upTo (input,
                             2,
                             until (),
                             header,
                             fn _ => HTTPInput'.Bad (431, "the header of the response is too long"))
          val response as {status, ...} = Message.parseResponse (text, limits)
        in
          if status < 200 andalso status <> 101 then
            if left = 0 then HTTPInput'.bad "too many interim responses" else go (left - 1)
          else response
        end
    in
      go 8
    end
end

structure HTTP : HTTP = HTTP'

(* Messages as texts, for other ways of transport than sockets, and for tests. *)
signature HTTP_MESSAGE =
sig
  (* What came is no such message, or is not taken: the status with which a server answers, and why. *)
  exception Bad of int * string
  (* It ended in the middle of a header. *)
  exception Closed

  (* bytes of a header, fields of a header, bytes of a body: the most that are taken *)
  type limits = {header : int, fields : int, body : int}
  (* 16,384 bytes, 100 fields, and a body of 1,048,576 bytes. *)
  val limits : limits

  (* Where messages are read from, one after the other: a function that gives some bytes, the empty string at the end.
     If it raises an exception within a header, as when a wait is cancelled, none of the header is taken: the next call
     reads it from its beginning. *)
  type source
  (* A source that calls this function when it needs more. *)
  val source : (unit -> string) -> source
  (* A source of this text alone. *)
  val ofString : string -> source

  (* The next request; NONE at the end. The next but one can be read when its body has been read to the end, and raises
     Fail before that: what is left of a body is no message. Raises Bad, and Closed; behind Bad, each call raises Fail,
     for a request that is refused may have a body. *)
  val readRequest : limits -> source -> HTTP.request option
  (* The next response, to a request with that method; those before the last one (status 100 to 199, but for 101) are
     passed over. *)
  val readResponse : limits -> {method : string} -> source -> HTTP.response

  (* Writes a request to a host, or a response to a request with that method and version, by a function that takes
     pieces of text. What they say of the body's length, and of the connection, is left out, and written as it is. *)
  val writeRequest :
    (string -> unit)
    -> {method : string, target : string, host : string, headers : HTTPHeaders.t, body : HTTPBody.t}
    -> unit
  (* Likewise a response, to a request with this method and minor version: HEAD gets no body, HTTP/1.0 no chunks. *)
  val writeResponse : (string -> unit) -> {method : string, minor : int} -> HTTP.response -> unit
end

structure HTTPMessage :> HTTP_MESSAGE =
struct
  exception Bad = HTTPInput'.Bad
  exception Closed = HTTPInput'.Closed

  type limits = {header : int, fields : int, body : int}
  val limits = {header = 16384, fields = 100, body = 1048576}

  (* isWithin: what comes belongs to the body of the message that was read last *)
  type source = {input : HTTPInput'.t, isWithin : bool ref}
  fun source next =
    {input = HTTPInput'.new (fn _ => next (), fn _ => NONE), isWithin = ref false}
  fun ofString text =
    let
      val rest = ref text
    in
      source (fn () => let val all = !rest in (rest := ""; all) end)
    end

  fun whenever () = Time.zeroTime

  fun check ({isWithin, ...} : source) =
    if !isWithin then
      raise Fail "HTTPMessage: the body of the message before was not read to its end"
    else ()

  (* What is refused may have a body; what comes then is no message. *)
  fun taking (source as {isWithin, ...} : source, f) =
    (check source;
     f () handle e as Bad _ => (isWithin := true; raise e))

  fun bodyOf ({input, isWithin} : source, framing, limits) =
    let
      val body =
        HTTP'.bodyOf (input, framing, limits, whenever, fn isOver => isWithin := not isOver)
    in
      isWithin := (HTTPBody'.length body <> SOME 0);
      body
    end

  fun readRequest limits (source as {input, ...} : source) =
    taking (source,
            fn () =>
              Option.map
                (fn text =>
                  let
                    val head = HTTPMessage'.parseRequest (text, limits)
                    val framing = HTTPMessage'.requestFraming (head, limits)
                  in
                    HTTP'.requestOf (head, bodyOf (source, framing, limits), "", NONE)
                  end)
                (HTTP'.requestHeader (input, limits, whenever ())))

  fun readResponse limits {method} (source as {input, ...} : source) =
    taking (source,
            fn () =>
              let
                val response as {status, headers, ...} =
                  HTTP'.readResponse (input, limits, method, whenever)
                val framing = HTTPMessage'.responseFraming (method, response, limits)
              in
                {status = status, headers = headers, body = bodyOf (source, framing, limits)}
              end)

  val writeRequest = HTTP'.writeRequest
  val writeResponse = HTTP'.writeResponse
end
