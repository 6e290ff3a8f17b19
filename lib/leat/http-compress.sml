(* HTTPCompress: bodies of HTTP in fewer bytes (RFC 9110, 8.4 and 12.5.3): handlers around others, and requests of a client. *)

signature HTTP_COMPRESS =
sig
  datatype setting =
      (* Shorter bodies are sent as they are: 1024 bytes. Streams whose length is not known are compressed. *)
      MinSize of int
    (* 0 (fast) to 9 (small): 5 *)
    | Level of int
    (* which kinds of content (`text/html`, in small letters) are compressed: texts, JSON, XML, scripts, fonts that are
       not compressed, SVG *)
    | Kinds of string -> bool

  (* A handler whose responses are compressed by gzip if the client takes that. A response that is compressed already, a
     part of a file (206), and one with `Cache-Control: no-transform` stay as they are. Each piece of a stream can be
     read when it has come. `Vary` says that the answer depends on the client; a strong ETag becomes a weak one. *)
  val responses : setting list -> HTTP.handler -> HTTP.handler
  (* A handler that may get requests with gzip or deflate; what it reads has no more bytes than this: then its body
     raises HTTPBody.TooLarge. Another encoding is answered by 415. *)
  val requests : {most : int} -> HTTP.handler -> HTTP.handler

  (* HTTPClient.send, saying that gzip and deflate are taken, and decompressing the answer. Its body has no more bytes
     than this: else the cause of the HTTPClient.Failed that reading it raises is HTTPBody.TooLarge; if it is damaged,
     HTTPBody.Broken. *)
  val send : {most : int} -> HTTPClient.client -> HTTPClient.request -> HTTP.response
  (* A response whose body is decompressed, if it is compressed by gzip or deflate. *)
  val decoded : {most : int} -> HTTP.response -> HTTP.response
end

structure HTTPCompress :> HTTP_COMPRESS =
struct
  datatype setting =
      MinSize of int
    | Level of int
    | Kinds of string -> bool

  structure H = HTTPHeaders
  structure B = HTTPBody

  fun trimmed s = Substring.string (Substring.dropl Char.isSpace (Substring.dropr Char.isSpace s))

  (* An element of a list of codings, `gzip;q=0.5`: its name, and whether it is wanted at all. *)
  fun coding text =
    let
      val (name, rest) = Substring.splitl (fn c => c <> #";") (Substring.full text)
      val quality = trimmed (Substring.triml 1 rest)
      val isZero =
        String.isPrefix "q=" quality
        andalso CharVector.all
          (fn c => c = #"0" orelse c = #".")
          (String.extract (quality, 2, NONE))
    in
      (trimmed name, not isZero)
    end

  (* The codings that a client takes: gzip, named or by `*`. *)
  fun takesGzip headers =
    let
      val codings = List.map coding (H.words headers "accept-encoding")
      fun find names = List.find (fn (n, _) => List.exists (fn m => m = n) names) codings
    in
      case (find ["gzip", "x-gzip"], find ["*"]) of
        (SOME (_, isWanted), _) => isWanted
      | (NONE, SOME (_, isWanted)) => isWanted
      | _ => false
    end

  fun kindOf headers =
    case H.get headers "content-type" of
      SOME text =>
        String.map
          Char.toLower
          (trimmed (#1 (Substring.splitl (fn c => c <> #";") (Substring.full text))))
    | NONE => ""

  fun isText kind =
    String.isPrefix "text/" kind
    orelse String.isSuffix "+json" kind
    orelse String.isSuffix "+xml" kind
    orelse List.exists (fn k => k = kind) ["application/json", "application/javascript",
                                           "application/xml", "application/wasm",
                                           "application/x-ndjson", "font/ttf", "font/otf"]

  fun has (words, word) = List.exists (fn w => w = word) words

  fun weakened headers =
    case H.get headers "etag" of
      SOME tag => if String.isPrefix "W/" tag then headers else H.set ("ETag", "W/" ^ tag) headers
    | NONE => headers

  (* bodies of this length are made at once, so that their length is known *)
  val whole = 262144

  fun responses settings handler =
    let
      fun last setting = Settings'.last settings setting
      val least = last (fn MinSize n => SOME n | _ => NONE, 1024)
      val level = last (fn Level n => SOME n | _ => NONE, 5)
      val isKind = last (fn Kinds f => SOME f | _ => NONE, isText)
      val () = if level < 0 orelse level > 9 then raise Size else ()

      fun isLong body = case B.length body of SOME n => n >= least | NONE => true
      fun compressed body =
        case B.length body of
          SOME n =>
            if n <= whole then
              B.string
                (Gzip.compress {format = Gzip.GZIP, level = level} (B.all {most = whole} body))
            else stream (body, false)
        | NONE => stream (body, true)
      and stream (body, flush) =
        let
          val {next, close} =
            Gzip.compressor {format = Gzip.GZIP, level = level, flush = flush} (fn () =>
              B.read body)
        in
          B.streamLike body {length = NONE,
                             next = next,
                             close = fn () => (close (); B.close body)}
        end
    in
      fn (request : HTTP.request) =>
        let
          val response as {status, headers, body} = handler request
          (* reading it takes nothing from a text that is given to others, too *)
          val body = B.own body
          (* What is said in 304 is that of the answer that the client has (RFC 9110, 15.4.5). *)
          val isCandidate =
            status >= 200
            andalso status <> 204
            andalso status <> 206
            andalso not (isSome (H.get headers "content-encoding"))
            andalso not (has (H.words headers "cache-control", "no-transform"))
            andalso (isLong body orelse status = 304 andalso B.length body = SOME 0)
            andalso isKind (kindOf headers)
        in
          if not isCandidate then response
          else
            let
              val headers =
                if has (H.words headers "vary", "accept-encoding") then headers
                else H.add ("Vary", "Accept-Encoding") headers
            in
              if takesGzip (#headers request) then
                {status = status,
                 headers =
                   let
                     val all =
                       H.remove "accept-ranges" (H.remove "content-length" (weakened headers))
                   in
                     if status = 304 then all else H.add ("Content-Encoding", "gzip") all
                   end,
                 body =
                   (* what nobody sends may not be there to be read, as in the answer of HTTPFiles *)
                   if #method request = "HEAD" orelse status = 304 then
                     B.stream {length = NONE, next = fn () => "", close = fn () => B.close body}
                   else compressed body}
              else {status = status, headers = headers, body = body}
            end
        end
    end

  (* -- decompressing *)

  (* A body of this format. Its pieces are bounded, and so is their sum. What is wrong with it is told, too. *)
  fun opened ({most}, format, body, wrong) =
    let
      val body = B.own body
      val {next, close} = Gzip.decompressor format (fn () => B.read body)
      val left = ref most
      fun refuse (e, status) = (wrong := SOME status; close (); raise e)
      fun piece () =
        case next () handle Gzip.Corrupt why => refuse (B.Broken why, 400) of
          "" => ""
        | text => (left := !left - size text; if !left < 0 then refuse (B.TooLarge, 413) else text)
    in
      B.streamLike body {length = NONE, next = piece, close = fn () => (close (); B.close body)}
    end

  fun formatOf headers =
    case List.filter (fn w => w <> "identity") (H.words headers "content-encoding") of
      [] => SOME NONE
    | ["gzip"] => SOME (SOME Gzip.GZIP)
    | ["x-gzip"] => SOME (SOME Gzip.GZIP)
    | ["deflate"] => SOME (SOME Gzip.ZLIB)
    | _ => NONE

  fun plain headers = H.remove "content-encoding" (H.remove "content-length" headers)

  fun isEmpty body = B.length body = SOME 0

  fun decoded most (response as {status, headers, body} : HTTP.response) =
    case formatOf headers of
      SOME (SOME format) =>
        if isEmpty body then response
        else
          {status = status, headers = plain headers, body = opened (most, format, body, ref NONE)}
    | _ => response

  fun send most client {method, url, headers, body} =
    let
      val isOwn = isSome (H.get headers "accept-encoding")
      val headers = if isOwn then headers else H.add ("Accept-Encoding", "gzip, deflate") headers
    in
      (if method = "HEAD" then fn response => response else decoded most)
        (HTTPClient.send client {method = method, url = url, headers = headers, body = body})
    end

  fun requests most handler (request as {headers, body, ...} : HTTP.request) =
    case formatOf headers of
      SOME NONE => handler request
    | SOME (SOME format) =>
        let
          val wrong = ref NONE
          val body = if isEmpty body then body else opened (most, format, body, wrong)
        in
          handler (HTTP.withBody body (HTTP.withHeaders (plain headers) request))
          handle e => (case !wrong of SOME status => HTTP.status status | NONE => raise e)
        end
    | NONE => HTTP.withHeader ("Accept-Encoding", "gzip, deflate") (HTTP.status 415)
end
