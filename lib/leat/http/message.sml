(* HTTPMessage': requests and responses as texts, and back (RFC 9112).

   What is read is read strictly: a message that somebody else on the way may have understood otherwise is refused. That
   is what smuggling needs: two lengths, a length and chunks, blanks before a colon, folded lines, line ends that are
   none. *)

structure HTTPMessage' =
struct
  open HTTPText'
  structure Headers = HTTPHeaders'
  structure Input = HTTPInput'
  val bad = HTTPInput'.bad
  exception Bad = HTTPInput'.Bad

  type limits = {header : int, fields : int, body : int}

  (* -- headers *)

  (* The fields of a header's text from i on. Each LF in it has a CR before it, and there are none at the end. *)
  fun fieldsOf (text, i, most) =
    let
      val n = size text
      fun while' (isIn, i) =
        if i < n andalso isIn (String.sub (text, i)) then while' (isIn, i + 1) else i
      fun back (i, start) =
        if i > start andalso isBlank (String.sub (text, i - 1)) then back (i - 1, start) else i
      fun go (i, left, found) =
        if i >= n then Headers.FIELDS (List.rev found)
        else
          let
            val () = if left = 0 then raise Bad (431, "too many fields") else ()
            val colon = while' (isTokenChar, i)
            val () =
              if colon < n andalso colon > i andalso String.sub (text, colon) = #":" then ()
              else if isBlank (String.sub (text, i)) then
                bad "a line of a header begins with a blank"
              else bad "a line of a header is no field"
            val start = while' (isBlank, colon + 1)
            val stop = while' (isValueChar, start)
            val () =
              if stop = n orelse String.sub (text, stop) = #"\r" then ()
              else bad "a control character in the value of a field"
            val value = String.substring (text, start, back (stop, start) - start)
          in
            go (stop + 2, left - 1, (String.substring (text, i, colon - i), value) :: found)
          end
    in
      go (i, most, [])
    end

  fun endOfLine text =
    let
      val n = size text
      fun go i = if i = n orelse String.sub (text, i) = #"\r" then i else go (i + 1)
    in
      go 0
    end

  (* "HTTP/1.0" is 0, and 1.1 and what comes after it is 1. *)
  fun minorOf version =
    let
      fun isDigit i = Char.isDigit (String.sub (version, i))
    in
      if size version <> 8
         orelse not (String.isPrefix "HTTP/" version)
         orelse String.sub (version, 6) <> #"."
         orelse not (isDigit 5 andalso isDigit 7)
      then bad "no version of HTTP"
      else if String.sub (version, 5) <> #"1" then raise Bad (505, "a version other than HTTP/1")
      else if String.sub (version, 7) = #"0" then 0
      else 1
    end

  (* -- requests *)

  (* The host with its port, if an absolute target names it, and the path with its query. *)
  type target = {authority : string option, path : string}
  type request = {method : string, target : target, minor : int, headers : Headers.t}

  (* RFC 9112, 3.2: a path, a whole address as to a proxy, `*` of OPTIONS, or a host and a port of CONNECT. *)
  fun targetOf (method, target) =
    if not (CharVector.all isTargetChar target) then bad "a character that no target has"
    else if method = "CONNECT" then
      let
        val (_, port) = hostAndPort (Substring.full target)
      in
        if isHostAndPort target andalso isSome (portOf (Substring.triml 1 port)) then
          {authority = SOME target, path = ""}
        else bad "the target of CONNECT is no host and port"
      end
    else if String.isPrefix "/" target then {authority = NONE, path = target}
    else if target = "*" andalso method = "OPTIONS" then {authority = NONE, path = "*"}
    else
      let
        val (scheme, rest) = Substring.position "://" (Substring.full target)
        val scheme = lower (Substring.string scheme)
        val (host, path) =
          Substring.splitl (fn c => c <> #"/" andalso c <> #"?") (Substring.triml 3 rest)
        val (host, path) = (Substring.string host, Substring.string path)
      in
        if Substring.isEmpty rest
           orelse scheme <> "http" andalso scheme <> "https"
           orelse not (isHostAndPort host)
        then bad "a target that is neither a path nor an address"
        else {authority = SOME host, path = if String.isPrefix "/" path then path else "/" ^ path}
      end

  fun parseRequest (text, {fields, ...} : limits) : request =
    let
      val stop = endOfLine text
    in
      case Substring.fields (fn c => c = #" ") (Substring.substring (text, 0, stop)) of
        [method, target, version] =>
          let
            val method = Substring.string method
            val minor = minorOf (Substring.string version)
            val () = if isToken method then () else bad "the method is no word"
            val target = targetOf (method, Substring.string target)
            val headers = fieldsOf (text, stop + 2, fields)
          in
            (* RFC 9112, 3.2 *)
            case Headers.all headers "host" of
              (* empty, if the target's address has no host *)
              [host] =>
                if host = "" orelse isHostAndPort host then () else bad "a host that is none"
            | [] => if minor = 0 then () else bad "no host"
            | _ => bad "two hosts";
            {method = method, target = target, minor = minor, headers = headers}
          end
      | _ => bad "the first line is not a method, a target and a version"
    end

  (* -- responses *)

  type response = {status : int, minor : int, headers : Headers.t}

  fun parseResponse (text, {fields, ...} : limits) : response =
    let
      val stop = endOfLine text
      val minor = minorOf (String.substring (text, 0, Int.min (8, stop)))
      val status = if stop >= 12 then decimal (String.substring (text, 9, 3)) else NONE
      val isLine =
        stop >= 12
        andalso String.sub (text, 8) = #" "
        andalso (stop = 12 orelse String.sub (text, 12) = #" ")
        andalso Substring.isEmpty
          (Substring.dropl isValueChar (Substring.substring (text, 12, stop - 12)))
    in
      case status of
        SOME status =>
          if isLine andalso status >= 100 then
            {status = status, minor = minor, headers = fieldsOf (text, stop + 2, fields)}
          else bad "the first line is no version and status"
      | NONE => bad "the first line is no version and status"
    end

  (* -- where a body ends: RFC 9112, 6.3 *)

  datatype framing = NO_BODY | LENGTH of int | CHUNKED | UNTIL_CLOSE

  fun sized (value, {body, ...} : limits) =
    case decimal value of
      SOME n => if n > body then raise Bad (413, "a body that is too long") else LENGTH n
    | NONE =>
        if size value > 15 andalso CharVector.all Char.isDigit value then
          raise Bad (413, "a body that is too long")
        else bad "a length that is no number"

  fun requestFraming ({minor, headers, ...} : request, limits) =
    case (Headers.all headers "content-length", Headers.all headers "transfer-encoding") of
      ([], []) => NO_BODY
    | ([value], []) => sized (value, limits)
    | (_, []) => bad "two lengths"
    | ([], values) =>
        if minor = 0 then bad "chunks in HTTP/1.0"
        else
          (case List.concat (List.map members values) of
             ["chunked"] => CHUNKED
           | [] => bad "an empty Transfer-Encoding"
           | codings =>
               if List.last codings <> "chunked"
                  orelse List.length (List.filter (fn c => c = "chunked") codings) > 1
               then bad "the chunks are not the last coding"
               else raise Bad (501, "a coding other than chunked"))
    | _ => bad "a length and a coding"

  fun responseFraming (method, {status, minor, headers} : response, limits) =
    if method = "HEAD" orelse status < 200 orelse status = 204 orelse status = 304 then NO_BODY
    else
      case (Headers.all headers "content-length", Headers.all headers "transfer-encoding") of
        ([], []) => UNTIL_CLOSE
      | ([value], []) => sized (value, limits)
      | (values, []) =>
          if List.all (fn v => v = hd values) values then sized (hd values, limits)
          else bad "two lengths"
      | ([], values) =>
          (case (minor, List.concat (List.map members values)) of
             (1, ["chunked"]) => CHUNKED
           | _ => bad "a coding other than chunked")
      | _ => bad "a length and a coding"

  (* -- bodies that come *)

  (* The number at the beginning of a chunk: hexadecimal digits, and an extension that nobody needs. RFC 9112, 7.1 *)
  fun chunkSize text =
    let
      val (digits, extension) = Substring.splitl Char.isHexDigit (Substring.full text)
    in
      if Substring.isEmpty digits
         (* blanks may stand before an extension, and nowhere else *)
         orelse not (Substring.isEmpty extension
                     orelse Substring.isPrefix ";" (Substring.dropl isBlank extension))
         orelse not (Substring.isEmpty (Substring.dropl isValueChar extension))
      then bad "the beginning of a chunk"
      else if Substring.size (withoutZeros digits) > 15 then raise HTTPBody'.TooLarge
      else Substring.foldl (fn (c, n) => 16 * n + hexDigit c) 0 digits
    end

  (* The pieces of a body as they come. `until` gives the time for it, when its first piece is wanted. *)
  fun pieces (input as {whyLost, ...} : Input.t, framing, {header, body, fields} : limits, until) =
    let
      (* what is left of a length, or of a chunk; whether it has ended *)
      val left = ref (case framing of LENGTH n => n | _ => 0)
      val total = ref 0
      val isOver = ref (case framing of NO_BODY => true | LENGTH 0 => true | _ => false)
      val isFirst = ref true

      fun part () =
        let
          val piece = Input.some (input, until (), !left)
        in
          left := !left - size piece;
          piece
        end

      (* what stood behind the body, the last one first *)
      val behind = ref []

      fun trailers (left, lines) =
        if lines < 0 then raise Bad (431, "too many trailers")
        else
          case Input.line
                 (input, until (), Int.max (2, left), Bad (431, "trailers that are too long")) of
            "" => isOver := true
          | text =>
              let
                val Headers.FIELDS fields = fieldsOf (text, 0, 1)
              in
                behind := List.filter (fn (name, _) => Headers.isTrailer name) fields @ !behind;
                trailers (left - size text, lines - 1)
              end

      fun chunk () =
        (if !isFirst then isFirst := false
         else if Input.line (input, until (), 2, Bad (400, "a chunk is longer than it says")) = ""
         then ()
         else bad "a chunk is longer than it says";
         case chunkSize (Input.line (input,
                                     until (),
                                     header,
                                     Bad (400, "the beginning of a chunk is too long"))) of
           0 => (trailers (header, fields); "")
         | n =>
             (total := !total + n;
              if !total > body then raise HTTPBody'.TooLarge else ();
              left := n;
              part ()))

      fun some () =
        let
          val piece =
            Input.some (input, until (), 65536) handle Input.Closed => (isOver := true; "")
        in
          total := !total + size piece;
          if !total > body then raise HTTPBody'.TooLarge else piece
        end

      fun next () =
        if !isOver then ""
        else
          case framing of
            NO_BODY => ""
          | LENGTH _ =>
              let val piece = part () in (if !left = 0 then isOver := true else ()); piece end
          | CHUNKED => if !left > 0 then part () else chunk ()
          | UNTIL_CLOSE => some ()
    in
      {next = fn () =>
         next ()
         handle Input.Closed => raise HTTPBody'.Broken "the connection ended within a body"
              | Input.CutOff => raise HTTPBody'.Broken "the connection was cut off within a body"
              | Input.TimeOut => raise HTTPBody'.TimeOut
              | Bad (431, why) => raise Bad (431, why)
              | Bad (_, why) => raise HTTPBody'.Broken why
              | e =>
                  (case whyLost e of
                     SOME why =>
                       raise HTTPBody'.Broken ("the connection was lost within a body: " ^ why)
                   | NONE => raise e),
       isOver = fn () => !isOver,
       trailers =
         {names = [],
          fields = fn () => Headers.FIELDS (if !isOver then List.rev (!behind) else [])}}
    end

  (* -- what is written *)

  fun reason status =
    case status of
      100 => "Continue"
    | 101 => "Switching Protocols"
    | 103 => "Early Hints"
    | 200 => "OK"
    | 201 => "Created"
    | 202 => "Accepted"
    | 203 => "Non-Authoritative Information"
    | 204 => "No Content"
    | 205 => "Reset Content"
    | 206 => "Partial Content"
    | 300 => "Multiple Choices"
    | 301 => "Moved Permanently"
    | 302 => "Found"
    | 303 => "See Other"
    | 304 => "Not Modified"
    | 307 => "Temporary Redirect"
    | 308 => "Permanent Redirect"
    | 400 => "Bad Request"
    | 401 => "Unauthorized"
    | 402 => "Payment Required"
    | 403 => "Forbidden"
    | 404 => "Not Found"
    | 405 => "Method Not Allowed"
    | 406 => "Not Acceptable"
    | 407 => "Proxy Authentication Required"
    | 408 => "Request Timeout"
    | 409 => "Conflict"
    | 410 => "Gone"
    | 411 => "Length Required"
    | 412 => "Precondition Failed"
    | 413 => "Content Too Large"
    | 414 => "URI Too Long"
    | 415 => "Unsupported Media Type"
    | 416 => "Range Not Satisfiable"
    | 417 => "Expectation Failed"
    | 421 => "Misdirected Request"
    | 422 => "Unprocessable Content"
    | 426 => "Upgrade Required"
    | 428 => "Precondition Required"
    | 429 => "Too Many Requests"
    | 431 => "Request Header Fields Too Large"
    | 451 => "Unavailable For Legal Reasons"
    | 500 => "Internal Server Error"
    | 501 => "Not Implemented"
    | 502 => "Bad Gateway"
    | 503 => "Service Unavailable"
    | 504 => "Gateway Timeout"
    | 505 => "HTTP Version Not Supported"
    | _ => ""

  (* The fields that say where a message ends and what becomes of its connection are written by this library alone. *)
  fun isOurs name =
    case String.sub (name, 0) of
      #"C" => same (name, "content-length") orelse same (name, "connection")
    | #"c" => same (name, "content-length") orelse same (name, "connection")
    | #"T" => same (name, "transfer-encoding") orelse same (name, "trailer")
    | #"t" => same (name, "transfer-encoding") orelse same (name, "trailer")
    | #"K" => same (name, "keep-alive")
    | #"k" => same (name, "keep-alive")
    | _ => false

  fun linesOf (Headers.FIELDS fields, rest) =
    let
      fun go [] = rest
        | go ((name, value) :: others) =
            if isOurs name then go others else name :: ": " :: value :: "\r\n" :: go others
    in
      go fields
    end

  fun chunkOf piece = String.concat [Int.fmt StringCvt.HEX (size piece), "\r\n", piece, "\r\n"]
  fun lastChunkOf (Headers.FIELDS []) = "0\r\n\r\n"
    | lastChunkOf fields = String.concat ("0\r\n" :: linesOf (fields, ["\r\n"]))
end
