(* HTTPForm: queries, forms and uploaded files. HTTPCookie: what a browser keeps and gives back. *)

signature HTTP_FORM =
sig
  (* names and values, in their order *)
  type fields = (string * string) list

  (* Of a query, or a form's text: `name=value&name=value`, with `+` for a blank and `%` with two hexadecimal digits.
     What is no such text is left as it is. *)
  val parse : string -> fields
  (* The text of such fields, as browsers write it: see `URL.form`. *)
  val toString : fields -> string
  (* The first value of a name. *)
  val get : fields -> string -> string option
  (* All values of a name, in order. *)
  val all : fields -> string -> string list

  (* One part of an address, or a value in a query, with `%` where it is needed. *)
  val encode : string -> string
  (* Back from it; NONE if a `%` stands alone. *)
  val decode : string -> string option

  (* The query of a request. *)
  val query : HTTP.request -> fields

  (* a field of a form, or a file: with its name on the client's machine, which is no path to be used here *)
  type part = {name : string, file : string option, kind : string, text : string}
  (* The body is no form: why. A server answers with 400. *)
  exception Malformed of string

  (* The form in the body of a request, of so many bytes at most: application/x-www-form-urlencoded, or
     multipart/form-data, whose files are left out. Raises Malformed, and what HTTPBody.read raises. *)
  val form : {most : int} -> HTTP.request -> fields
  (* The same with files, in their order. *)
  val parts : {most : int} -> HTTP.request -> part list
  (* Calls a function with each field and file as it comes, with a body that gives its bytes piece by piece; what the
     function does not read of it is passed over. So files may be larger than memory; the server's MaxBody bounds the
     whole. A form without files has so many bytes at most. Raises Malformed, and what HTTPBody.read raises; what came
     before that was given to the function. *)
  val each :
    {most : int}
    -> HTTP.request
    -> ({name : string, file : string option, kind : string, body : HTTPBody.t} -> unit)
    -> unit

  (* Such a form as multipart/form-data, with the kind that its request says: the two that HTTPClient.post takes. A part
     with a file's name and an empty kind is `application/octet-stream`. Raises HTTPHeaders.Invalid for a name, a
     file's name or a kind with a control character. *)
  val multipart : part list -> {kind : string, text : string}
end

structure HTTPForm :> HTTP_FORM =
struct
  open HTTPText'

  type fields = (string * string) list
  type part = {name : string, file : string option, kind : string, text : string}
  exception Malformed of string

  val parse = URL.parseForm
  val encode = URL.encode
  val decode = URL.decode

  val toString = URL.form

  fun all fields wanted =
    List.mapPartial (fn (name, value) => if name = wanted then SOME value else NONE) fields
  fun get fields wanted = Option.map #2 (List.find (fn (name, _) => name = wanted) fields)
  fun query ({query, ...} : HTTP.request) = parse query

  (* `form-data; name="a b"; filename="c"` *)
  fun parameters text =
    let
      val {kind, parameters} =
        MediaType.parseField text handle MediaType.Malformed why => raise Malformed why
    in
      (kind, parameters)
    end

  (* -- multipart/form-data: RFC 7578, 2046 *)

  (* The most parts of a form, and bytes of the header of one. *)
  val (mostParts, mostHeader) = (1000, 16384)

  (* Calls a function with each part of a text that comes by pieces; `stream` makes their bodies. *)
  fun walk (read, stream, boundary, f) =
    let
      val mark = "\r\n--" ^ boundary
      val () =
        if size boundary = 0 orelse size boundary > 70 then
          raise Malformed "a boundary that is none"
        else ()

      (* what has come and is not used; the first boundary may have no line end before it *)
      val input as {rest = have, ...} = HTTPInput'.new (fn _ => read (), fn _ => NONE)
      val () = have := Substring.full "\r\n"
      (* Asked where what is there is no longer than a mark: it is copied. *)
      fun more () =
        case read () of
          "" => false
        | piece => (have := Substring.full (Substring.string (!have) ^ piece); true)

      (* RFC 2046, 5.1.1: blanks behind a boundary are no part of it *)
      fun passBlanks () =
        (have := Substring.dropl isBlank (!have);
         if Substring.isEmpty (!have) andalso more () then passBlanks () else ())
      fun ensure n = if Substring.size (!have) < n andalso more () then ensure n else ()

      (* Some bytes before the next mark; the empty string when that is passed. *)
      fun next why =
        let
          val (front, back) = Substring.position mark (!have)
          val sure = Substring.size front - size mark + 1
          fun give n =
            let
              val (piece, rest) = Substring.splitAt (!have, n)
            in
              have := rest;
              Substring.string piece
            end
        in
          if not (Substring.isEmpty back) then
            if Substring.isEmpty front then (have := Substring.triml (size mark) back; "")
            else give (Substring.size front)
          else if sure > 0 then give sure
          else if more () then next why
          else raise Malformed why
        end
      fun skip why = if next why = "" then () else skip why

      (* The header of a part, which begins with the line end of the boundary, and ends with two. *)
      fun header () =
        let
          val none = Malformed "a part without a header"
          val text =
            HTTPInput'.upTo (input, 2, Time.zeroTime, mostHeader + 4, fn _ => none)
            handle HTTPInput'.Closed => raise none
                 (* 431 is of the trailers that `read` has come to *)
                 | HTTPInput'.Bad (400, why) => raise Malformed why
        in
          ensure (size mark - 2);
          (* the empty line is the line end of a boundary *)
          if Substring.isPrefix (String.extract (mark, 2, NONE)) (!have) then raise none
          else
            HTTPMessage'.fieldsOf (text, 2, 20)
            handle HTTPInput'.Bad (_, why) => raise Malformed why
        end

      fun part () =
        let
          val headers = header ()
          val (kind, said) =
            case HTTPHeaders.get headers "content-disposition" of
              SOME value => parameters value
            | NONE => raise Malformed "a part without Content-Disposition"
          val () = if kind = "form-data" then () else raise Malformed "a part that is no form-data"
          val name =
            case get said "name" of
              SOME name => name
            | NONE => raise Malformed "a part without a name"
          val isOver = ref false
          fun piece () =
            if !isOver then ""
            else
              case next "a part without an end" of
                "" => (isOver := true; "")
              | piece => piece
          fun rest () = if piece () = "" then () else rest ()
          val body = stream {length = NONE, next = piece, close = fn () => ()}
        in
          f {name = name,
             file = get said "filename",
             kind = Option.getOpt (HTTPHeaders.get headers "content-type", "text/plain"),
             body = body};
          HTTPBody.close body;
          rest ()
        end

      (* behind a mark: the end, or a part *)
      fun go left =
        if (ensure 2; Substring.isPrefix "--" (!have)) then ()
        else if left = 0 then raise Malformed "too many parts"
        else if (passBlanks (); ensure 2; not (Substring.isPrefix "\r\n" (!have))) then
          raise Malformed "no line end behind a boundary"
        else (part (); go (left - 1))
    in
      skip "no part";
      go mostParts
    end

  (* Each part of a form; `text` gives the whole body, and `read` a piece of it. *)
  fun walkForm ({headers, body, ...} : HTTP.request, text, read, f) =
    let
      (* One that is too long is a body of the request that is. *)
      val stream = HTTPBody'.partOf body
      fun field (name, value) =
        let
          val left = ref value
        in
          f {name = name,
             file = NONE,
             kind = "text/plain",
             body =
               stream {length = SOME (size value),
                       next = fn () => !left before left := "",
                       close = fn () => ()}}
        end
    in
      case Option.map parameters (HTTPHeaders.get headers "content-type") of
        SOME ("application/x-www-form-urlencoded", _) => List.app field (parse (text ()))
      | SOME ("multipart/form-data", said) =>
          (case get said "boundary" of
             SOME boundary => walk (read, stream, boundary, f)
           | NONE => raise Malformed "no boundary")
      | SOME (kind, _) => raise Malformed ("a form is not of the kind " ^ kind)
      | NONE => raise Malformed "the body has no kind"
    end

  fun each most (request as {body, ...} : HTTP.request) f =
    walkForm (request, fn () => HTTPBody.all most body, fn () => HTTPBody.read body, f)

  fun parts most (request as {body, ...} : HTTP.request) =
    let
      val found = ref []
      val isRead = ref false
      fun text () = HTTPBody.all most body
      fun read () = if !isRead then "" else (isRead := true; text ())
      (* mostly there is one piece *)
      fun whole body =
        case HTTPBody.read body of
          "" => ""
        | piece =>
            case HTTPBody.all {most = valOf Int.maxInt} body of "" => piece | rest => piece ^ rest
      fun keep {name, file, kind, body} =
        found := {name = name, file = file, kind = kind, text = whole body} :: !found
    in
      walkForm (request, text, read, keep);
      List.rev (!found)
    end

  fun multipart parts =
    let
      fun header {name, file, kind, text = _} =
        let
          val names =
            ("name", name) :: (case file of SOME file => [("filename", file)] | NONE => [])
          val kind =
            if kind = "" then if isSome file then "application/octet-stream" else "text/plain"
            else kind
          val disposition =
            MediaType.toString {kind = "form-data", parameters = names}
            handle MediaType.Malformed _ =>
                raise HTTPHeaders'.Invalid ("the name of a part: " ^ String.toString name)
          val _ = HTTPHeaders'.checked ("Content-Type", kind)
        in
          concat (["Content-Disposition: ", disposition, "\r\n"]
                  @ (if kind = "text/plain" then [] else ["Content-Type: ", kind, "\r\n"])
                  @ ["\r\n"])
        end
      val headers = List.map header parts
      (* what no part contains *)
      val boundary = SecureRandom.token 40
      fun write (header, {text, ...} : part) = ["--", boundary, "\r\n", header, text, "\r\n"]
    in
      {kind = "multipart/form-data; boundary=" ^ boundary,
       text =
         concat (List.concat (ListPair.map write (headers, parts)) @ ["--", boundary, "--\r\n"])}
    end

  fun form most request =
    List.mapPartial
      (fn {name, text, file = NONE, ...} => SOME (name, text) | _ => NONE)
      (parts most request)
end

signature HTTP_COOKIE =
sig
  (* the cookies that a request brings *)
  val all : HTTP.request -> (string * string) list
  (* The value of a request's cookie with this name; NONE if it has none. *)
  val get : HTTP.request -> string -> string option

  datatype site = STRICT | LAX | ANY
  (* Where the browser gives it back (the host is the response's own without a domain), for how long (until the browser
     ends without a time), only over TLS, not to scripts, and whether to requests that come from other sites. *)
  type about =
    {path : string,
     domain : string option,
     age : Time.time option,
     secure : bool,
     hidden : bool,
     site : site}
  (* the path "/", no domain, no time, secure, hidden, LAX *)
  val about : about

  (* The response, with a cookie for the browser. Its age is sent in whole seconds, of which one that has begun counts.
     Raises HTTPHeaders.Invalid for a name that is no token, for a value with blanks, quotes, commas, semicolons,
     backslashes or other than visible ASCII characters (HTTPForm.encode helps), and for a cookie that browsers refuse:
     with the site ANY and not secure, or with a name that begins with `__Secure-` or `__Host-` and is not secure, or,
     of `__Host-`, has a domain or another path than "/". *)
  val set : about -> string * string -> HTTP.response -> HTTP.response
  (* The browser is to forget it; path and domain are those with which it was set. *)
  val forget : about -> string -> HTTP.response -> HTTP.response
end

structure HTTPCookie :> HTTP_COOKIE =
struct
  open HTTPText'

  fun all ({headers, ...} : HTTP.request) =
    List.concat (List.map
                   (fn line =>
                     List.mapPartial
                       (fn pair =>
                         let
                           val (name, value) = Substring.splitl (fn c => c <> #"=") (trimmed pair)
                           val value = trimmed (Substring.triml 1 value)
                           val n = Substring.size value
                           val value =
                             if n >= 2
                                andalso Substring.isPrefix "\"" value
                                andalso Substring.isSuffix "\"" value
                             then
                               Substring.slice (value, 1, SOME (n - 2))
                             else value
                         in
                           if Substring.isEmpty name then NONE
                           else SOME (Substring.string (trimmed name), Substring.string value)
                         end)
                       (Substring.fields (fn c => c = #";") (Substring.full line)))
                   (HTTPHeaders.all headers "cookie"))

  fun get request wanted = Option.map #2 (List.find (fn (name, _) => name = wanted) (all request))

  datatype site = STRICT | LAX | ANY
  type about =
    {path : string,
     domain : string option,
     age : Time.time option,
     secure : bool,
     hidden : bool,
     site : site}

  val about : about =
    {path = "/", domain = NONE, age = NONE, secure = true, hidden = true, site = LAX}

  (* The draft that follows RFC 6265 (6265bis), 4.1.2.7 and 4.1.3. *)
  fun isRefused ({path, domain, secure, site, ...} : about, name) =
    let
      fun begins prefix = String.isPrefix prefix (lower name)
      val isHost = begins "__host-"
    in
      not secure andalso (site = ANY orelse isHost orelse begins "__secure-")
      orelse isHost andalso (isSome domain orelse path <> "/")
    end

  (* A part of a second is one: 0 would take the cookie back. *)
  fun wholeSeconds t =
    let
      val n = Time.toSeconds t
    in
      if Time.> (t, Time.fromSeconds n) then n + 1 else n
    end

  (* RFC 6265, 4.1.1 *)
  fun isCookieChar c = c > #" " andalso c < #"\127" andalso not (Char.contains "\",;\\" c)
  fun isAttribute s = CharVector.all (fn c => c >= #" " andalso c < #"\127" andalso c <> #";") s

  fun set (about as {path, domain, age, secure, hidden, site} : about) (name, value) response =
    let
      fun invalid what =
        raise HTTPHeaders'.Invalid (concat ["the ", what, " of a cookie: ", String.toString name])
      val () = if isToken name then () else invalid "name"
      val () = if CharVector.all isCookieChar value then () else invalid "value"
      val () =
        if isAttribute path andalso isAttribute (Option.getOpt (domain, "")) then ()
        else invalid "place"
      val () =
        if isRefused (about, name) then
          raise HTTPHeaders'.Invalid ("a cookie that browsers refuse: " ^ name)
        else ()
    in
      HTTP.withHeader
        ("Set-Cookie",
         concat [name,
                 "=",
                 value,
                 "; Path=",
                 path,
                 case domain of SOME d => "; Domain=" ^ d | NONE => "",
                 case age of
                   SOME t =>
                     "; Max-Age="
                     ^ String.map (fn #"~" => #"-" | c => c) (LargeInt.toString (wholeSeconds t))
                 | NONE => "",
                 if secure then "; Secure" else "",
                 if hidden then "; HttpOnly" else "",
                 case site of
                   STRICT => "; SameSite=Strict"
                 | LAX => "; SameSite=Lax"
                 | ANY => "; SameSite=None"])
        response
    end

  fun forget {path, domain, age = _, secure, hidden, site} name =
    set
      {path = path,
       domain = domain,
       age = SOME Time.zeroTime,
       secure = secure,
       hidden = hidden,
       site = site}
      (name, "")
end
