(* HTTPForm: queries, forms and uploaded files. HTTPCookie: what a browser keeps and gives back. *)

signature HTTP_FORM =
sig
  (* names and values, in their order *)
  type fields = (string * string) list

  (* Of a query, or a form's text: `name=value&name=value`, with `+` for a blank and `%` with two hexadecimal digits.
     What is no such text is left as it is. *)
  val parse : string -> fields
  (* The text of such fields, with what has a meaning there as `+` or `%`. *)
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

  fun toString fields =
    String.concatWith
      "&"
      (List.map (fn (name, value) => concat [encode name, "=", encode value]) fields)

  fun all fields wanted =
    List.mapPartial (fn (name, value) => if name = wanted then SOME value else NONE) fields
  fun get fields wanted = Option.map #2 (List.find (fn (name, _) => name = wanted) fields)
  fun query ({query, ...} : HTTP.request) = parse query

  (* -- values with parameters: `form-data; name="a b"; filename="c"` *)

  (* The value in small letters, and its parameters, whose names are in small letters. *)
  fun parameters text =
    let
      fun blanks s = Substring.dropl isBlank s
      (* a value in quotes, from behind the first one *)
      fun quoted (s, done) =
        case Substring.getc s of
          NONE => raise Malformed "a quote that is not closed"
        | SOME (#"\"", s) => (String.implode (List.rev done), s)
        | SOME (#"\\", s') =>
            (* browsers write paths with backslashes as they are *)
            (case Substring.getc s' of
               SOME (c, rest) =>
                 if c = #"\"" orelse c = #"\\" then quoted (rest, c :: done)
                 else quoted (s', #"\\" :: done)
             | NONE => raise Malformed "a quote that is not closed")
        | SOME (c, s) => quoted (s, c :: done)
      fun go (s, found) =
        let
          val s = blanks s
        in
          case Substring.getc s of
            NONE => List.rev found
          | SOME (#";", s) =>
              let
                val (name, s) = Substring.splitl isTokenChar (blanks s)
                val s = blanks s
              in
                if Substring.isEmpty name then go (s, found)
                else if Substring.isPrefix "=" s then
                  let
                    val s = blanks (Substring.triml 1 s)
                    val (value, s) =
                      if Substring.isPrefix "\"" s then quoted (Substring.triml 1 s, [])
                      else
                        let
                          val (value, s) = Substring.splitl isTokenChar s
                        in
                          (Substring.string value, s)
                        end
                  in
                    go (s, (lower (Substring.string name), value) :: found)
                  end
                else raise Malformed "a parameter without a value"
              end
          | SOME _ => raise Malformed "something that is no parameter"
        end
      val (value, s) = Substring.splitl (fn c => c <> #";") (Substring.full text)
    in
      (lower (Substring.string (trimmed value)), go (s, []))
    end

  (* -- multipart/form-data: RFC 7578, 2046 *)

  (* The most parts of a form, and bytes of the header of one. *)
  val (mostParts, mostHeader) = (1000, 16384)

  fun multipart (text, boundary) =
    let
      val mark = "\r\n--" ^ boundary
      val () =
        if size boundary = 0 orelse size boundary > 70 then
          raise Malformed "a boundary that is none"
        else ()

      fun one part : part =
        let
          val (header, body) = Substring.position "\r\n\r\n" part
          val () =
            if Substring.isEmpty body orelse Substring.size header > mostHeader then
              raise Malformed "a part without a header"
            else ()
          (* behind the line end of the boundary *)
          val header = Substring.string (Substring.triml 2 header)
          val headers =
            HTTPMessage'.fieldsOf (header, 0, 20)
            handle HTTPInput'.Bad (_, why) => raise Malformed why
          val (kind, said) =
            case HTTPHeaders.get headers "content-disposition" of
              SOME value => parameters value
            | NONE => raise Malformed "a part without Content-Disposition"
        in
          if kind <> "form-data" then raise Malformed "a part that is no form-data"
          else
            case get said "name" of
              NONE => raise Malformed "a part without a name"
            | SOME name =>
                {name = name,
                 file = get said "filename",
                 kind = Option.getOpt (HTTPHeaders.get headers "content-type", "text/plain"),
                 text = Substring.string (Substring.triml 4 body)}
        end

      (* `s` is behind a mark: the end, or a part. *)
      fun go (s, left) =
        if Substring.isPrefix "--" s then []
        else if left = 0 then raise Malformed "too many parts"
        else if not (Substring.isPrefix "\r\n" s) then
          raise Malformed "no line end behind a boundary"
        else
          let
            val (part, rest) = Substring.position mark s
          in
            if Substring.isEmpty rest then raise Malformed "a part without an end"
            else one part :: go (Substring.triml (size mark) rest, left - 1)
          end

      val (_, first) = Substring.position mark (Substring.full ("\r\n" ^ text))
    in
      if Substring.isEmpty first then raise Malformed "no part"
      else go (Substring.triml (size mark) first, mostParts)
    end

  fun parts most ({headers, body, ...} : HTTP.request) =
    case Option.map parameters (HTTPHeaders.get headers "content-type") of
      SOME ("application/x-www-form-urlencoded", _) =>
        List.map
          (fn (name, value) => {name = name, file = NONE, kind = "text/plain", text = value})
          (parse (HTTPBody.all most body))
    | SOME ("multipart/form-data", said) =>
        (case get said "boundary" of
           SOME boundary => multipart (HTTPBody.all most body, boundary)
         | NONE => raise Malformed "no boundary")
    | SOME (kind, _) => raise Malformed ("a form is not of the kind " ^ kind)
    | NONE => raise Malformed "the body has no kind"

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

  (* The response, with a cookie for the browser. Raises HTTPHeaders.Invalid for a name that is no token, and for a
     value with blanks, quotes, commas, semicolons, backslashes or other than visible ASCII characters: HTTPForm.encode
     helps. *)
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

  (* RFC 6265, 4.1.1 *)
  fun isCookieChar c = c > #" " andalso c < #"\127" andalso not (Char.contains "\",;\\" c)
  fun isAttribute s = CharVector.all (fn c => c >= #" " andalso c < #"\127" andalso c <> #";") s

  fun set ({path, domain, age, secure, hidden, site} : about) (name, value) response =
    let
      fun invalid what =
        raise HTTPHeaders'.Invalid (concat ["the ", what, " of a cookie: ", String.toString name])
      val () = if isToken name then () else invalid "name"
      val () = if CharVector.all isCookieChar value then () else invalid "value"
      val () =
        if isAttribute path andalso isAttribute (Option.getOpt (domain, "")) then ()
        else invalid "place"
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
                     ^ String.map (fn #"~" => #"-" | c => c) (LargeInt.toString (Time.toSeconds t))
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
