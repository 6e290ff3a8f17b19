(* URLParts': a URL -> its parts, and parts -> the URL that they make.

   What is made is a text that is parsed; so nothing is made that no text could be. *)

structure URLParts' =
struct
  open URLCoding'
  open URLSyntax'

  (* -- taken from it *)

  fun schemeOf (text, colon) = if colon < 0 then NONE else SOME (lowered (part (text, 0, colon)))
  fun scheme (AT {text, scheme, ...}) = schemeOf (text, scheme)

  fun authority (AT {text, scheme, host, path, ...}) =
    if host < 0 then NONE else SOME (part (text, scheme + 3, path))
  fun userInfo (AT {text, scheme, host, ...}) =
    if host <= scheme + 3 then NONE else SOME (part (text, scheme + 3, host - 1))
  fun user url =
    Option.map
      (fn text =>
        let
          val n = size text
          val colon = find (text, #":", 0, n)
        in
          {name = lenient false (text, 0, colon),
           password = if colon < n then SOME (lenient false (text, colon + 1, n)) else NONE}
        end)
      (userInfo url)

  fun hostOf (text, i, j) =
    if i < j andalso String.sub (text, i) = #"[" then
      let
        val inside = lowered (part (text, i + 1, j - 1))
      in
        if String.sub (inside, 0) = #"v" then FUTURE inside else IPV6 inside
      end
    else
      let
        val name = lenient false (text, i, j)
      in
        if isFour name then IPV4 name else NAME (lowered name)
      end
  fun host (AT {text, host, hostEnd, ...}) =
    if host < 0 then NONE else SOME (hostOf (text, host, hostEnd))

  fun port (AT {text, hostEnd, path, ...}) =
    if path - hostEnd < 2 then NONE else Int.fromString (part (text, hostEnd + 1, path))
  fun usualPort scheme =
    case scheme of
      "http" => SOME 80
    | "https" => SOME 443
    | "ws" => SOME 80
    | "wss" => SOME 443
    | "ftp" => SOME 21
    | _ => NONE
  fun effectivePort url =
    case port url of
      NONE => Option.mapPartial usualPort (scheme url)
    | found => found

  fun path (AT {text, path, query, ...}) = part (text, path, query)
  fun segments (AT {text, path, query = stop, ...}) =
    let
      fun go i =
        let
          val slash = find (text, #"/", i, stop)
          val segment = lenient false (text, i, slash)
        in
          if slash = stop then [segment] else segment :: go (slash + 1)
        end
    in
      if path = stop then []
      else go (if String.sub (text, path) = #"/" then path + 1 else path)
    end

  fun query (AT {text, query, fragment, ...}) =
    if query = fragment then NONE else SOME (part (text, query + 1, fragment))
  fun parameters (AT {text, query, fragment, ...}) =
    if query = fragment then [] else parseFormPart (text, query + 1, fragment)
  fun parameter url wanted =
    Option.map #2 (List.find (fn (name, _) => name = wanted) (parameters url))
  fun fragment (AT {text, fragment, ...}) =
    if fragment = size text then NONE else SOME (String.extract (text, fragment + 1, NONE))

  fun redacted (url as AT {text, scheme, host, ...}) =
    let
      val start = scheme + 3
      val colon = if host < 0 then host else find (text, #":", start, host)
    in
      if colon < host then
        concat [part (text, 0, colon + 1), "xxxxx", part (text, host - 1, size text)]
      else toString url
    end

  (* -- put together *)

  type parts =
    {scheme : string option,
     userInfo : string option,
     host : host option,
     port : int option,
     path : string,
     query : string option,
     fragment : string option}

  fun parts url =
    {scheme = scheme url,
     userInfo = userInfo url,
     host = host url,
     port = port url,
     path = path url,
     query = query url,
     fragment = fragment url}

  fun before' (mark, SOME text, rest) = mark :: text :: rest
    | before' (_, NONE, rest) = rest

  (* A path that begins with two slashes would be read as a host. *)
  fun compose (scheme, authority, path, query, fragment) =
    let
      val path =
        if not (isSome authority) andalso String.isPrefix "//" path then "/." ^ path else path
      val rest = path :: before' ("?", query, before' ("#", fragment, []))
      val rest = before' ("//", authority, rest)
    in
      parse (concat (case scheme of SOME scheme => scheme :: ":" :: rest | NONE => rest))
    end

  fun hostText host =
    case host of
      NAME name => encoded (HOST, false) name
    | IPV4 text => text
    | IPV6 text => concat ["[", text, "]"]
    | FUTURE text => concat ["[", text, "]"]

  fun loweredHost host =
    case host of
      NAME name => if isFour name then IPV4 name else NAME (lowered name)
    | IPV6 text => IPV6 (lowered text)
    | FUTURE text => FUTURE (lowered text)
    | IPV4 _ => host

  fun make ({scheme, userInfo, host, port, path, query, fragment} : parts) =
    let
      fun bad (text, reason) = wrong (text, 0, reason)
      val scheme = Option.map lowered scheme
      val () =
        if isSome host then
          if path = "" orelse String.isPrefix "/" path then ()
          else bad (path, "a path behind a host that does not begin with a slash")
        else if isSome userInfo orelse isSome port then
          bad (path, "user information or a port without a host")
        else if String.isPrefix "//" path then
          bad (path, "a path without a host that begins with two slashes")
        else ()
      val () =
        case port of
          SOME n =>
            if n < 0 orelse n > 65535 then bad (Int.toString n, "a port that is none") else ()
        | NONE => ()
      val authority =
        Option.map
          (fn host =>
            concat (before' ("",
                             userInfo,
                             (if isSome userInfo then "@" else "")
                             :: hostText host
                             :: before' (":", Option.map Int.toString port, []))))
          host
      val url = compose (scheme, authority, path, query, fragment)
      val found = parts url
      fun check (isSame, text, what) = if isSame then () else bad (text, what ^ " that is none")
      fun checkText (found, given : string option, what) =
        check (found = given, Option.getOpt (given, ""), what)
    in
      checkText (#scheme found, scheme, "a scheme");
      checkText (#userInfo found, userInfo, "user information");
      check (#host found = Option.map loweredHost host,
             Option.getOpt (Option.map hostText host, ""),
             "a host");
      check (#path found = path, path, "a path");
      checkText (#query found, query, "a query");
      url
    end

  (* The one place that names all parts to change some. *)
  fun changed f url =
    let
      val {scheme, userInfo, host, port, path, query, fragment} = parts url
      val (userInfo, host, port, path) = f (userInfo, host, port, path)
    in
      make {scheme = scheme,
            userInfo = userInfo,
            host = host,
            port = port,
            path = path,
            query = query,
            fragment = fragment}
    end
  fun withHost host = changed (fn (user, _, port, path) => (user, SOME host, port, path))
  fun withPort port = changed (fn (user, host, _, path) => (user, host, port, path))
  fun withPath path = changed (fn (user, host, port, _) => (user, host, port, path))
  fun withUser user =
    let
      fun text {name, password} =
        case password of
          SOME word => concat [encode name, ":", encode word]
        | NONE => encode name
    in
      changed (fn (_, host, port, path) => (Option.map text user, host, port, path))
    end

  fun schemeAsIs (AT {text, scheme, ...}) =
    if scheme < 0 then NONE else SOME (part (text, 0, scheme))

  fun withParameters fields url =
    compose (schemeAsIs url,
             authority url,
             path url,
             if List.null fields then NONE else SOME (form fields),
             fragment url)
  fun withFragment text url =
    compose (schemeAsIs url, authority url, path url, query url, Option.map encode text)

  fun join url names =
    let
      fun segment name =
        if name = "." orelse name = ".." then
          wrong (name, 0, "a part of a path that is no name")
        else encodeSegment name
      val front = path url
      val behind = String.concatWith "/" (List.map segment names)
      val slash =
        if String.isSuffix "/" front orelse front = "" andalso not (isSome (authority url)) then ""
        else "/"
    in
      if List.null names then url
      else
        compose (schemeAsIs url,
                 authority url,
                 concat [front, slash, behind],
                 query url,
                 fragment url)
    end
end
