(* HTTPAddress': the addresses that a client asks, `http://HOST:PORT/PATH?QUERY`, and those that its answers name.

   They are not parsed as `URL` does: a target goes to the server as it stands, also with characters that no URL has. *)

structure HTTPAddress' =
struct
  exception Address of string

  val () = MLton.Exn.addExnMessager (fn Address why => SOME ("HTTPClient: " ^ why) | _ => NONE)

  type address = {isSecure : bool, host : string, port : int, target : string}

  fun usual isSecure = if isSecure then 443 else 80
  fun schemeOf ({isSecure, ...} : address) = if isSecure then "https:" else "http:"
  fun authorityOf ({host, port, ...} : address) = concat [host, ":", Int.toString port]
  fun placeOf address = concat [schemeOf address, "//", authorityOf address]
  (* as it stands in the field Host *)
  fun hostOf (address as {isSecure, host, port, ...} : address) =
    if port = usual isSecure then host else authorityOf address

  val isSix = HTTPText'.isSix
  val bare = HTTPText'.bare

  (* Who asks, as it stands before `@` in an address, and the address without it. *)
  fun withoutUser url =
    if not (Char.contains url #"@") then (NONE, url)
    else
      let
        val (scheme, rest) = Substring.position "://" (Substring.full url)
        val (scheme, rest) =
          if Substring.isEmpty rest then ("", scheme)
          else (Substring.string scheme ^ "://", Substring.triml 3 rest)
        val (authority, target) = Substring.splitl (fn c => not (Char.contains "/?#" c)) rest
        val (user, host) = Substring.splitr (fn c => c <> #"@") authority
      in
        (if Substring.isEmpty user then NONE else SOME (Substring.string (Substring.trimr 1 user)),
         concat [scheme, Substring.string host, Substring.string target])
      end

  fun addressOf url : address =
    let
      (* what is shown has no password *)
      val (user, url) = withoutUser url
      fun wrong why = raise Address (concat [why, ": ", String.toString url])
      val () = if isSome user then wrong "an address with a user is not taken" else ()
      val (plain, _) = Substring.splitl (fn c => c <> #"#") (Substring.full url)
      val (scheme, rest) = Substring.position "://" plain
      val scheme = HTTPText'.lower (Substring.string scheme)
      val (authority, target) =
        Substring.splitl (fn c => c <> #"/" andalso c <> #"?") (Substring.triml 3 rest)
      val (host, port) = HTTPText'.hostAndPort authority
      val (host, target) = (HTTPText'.lower (Substring.string host), Substring.string target)
      val target = if String.isPrefix "/" target then target else "/" ^ target
      val isSecure = scheme = "https"
      val port =
        case Substring.getc port of
          NONE => usual isSecure
        | SOME (#":", digits) =>
            if Substring.isEmpty digits then usual isSecure
            else
              (case HTTPText'.portOf digits of
                 SOME n => n
               | NONE => wrong "a port that is none")
        (* behind the brackets of an address of IPv6 *)
        | SOME _ => wrong "a host that is none"
    in
      if Substring.isEmpty rest then wrong "an address without a scheme or a host"
      else if not (isSecure orelse scheme = "http") then wrong "an address that is not of HTTP"
      else if not (HTTPText'.isHost host) then wrong "a host that is none"
      else if not (CharVector.all HTTPText'.isTargetChar target) then
        wrong "a character that no address has"
      else {isSecure = isSecure, host = host, port = port, target = target}
    end

  (* A text with `%` for what no address has: servers write names of files as they are. *)
  val escaped =
    String.translate (fn c =>
      if c > #" " andalso c < #"\127" then String.str c else URL.encode (String.str c))

  (* The address that a text means which stands in the answer from another one: RFC 3986, 5.2. `URL.resolve` would have
     to change what no URL has, as the brackets of a query. *)
  fun resolve (base as {target, ...} : address, text) =
    let
      val (path, _) = Substring.splitl (fn c => c <> #"?") (Substring.full target)
      val (path, front) = (Substring.string path, placeOf base)
      val (new, query) =
        Substring.splitl (fn c => c <> #"?" andalso c <> #"#") (Substring.full text)
      val (new, query) = (Substring.string new, Substring.string query)
      fun whole text =
        let
          val (scheme, rest) = Substring.position "//" (Substring.full text)
          val (host, target) =
            Substring.splitl (fn c => not (Char.contains "/?#" c)) (Substring.triml 2 rest)
          val (path, query) = Substring.splitl (fn c => c <> #"?" andalso c <> #"#") target
        in
          concat [Substring.string (Substring.span (scheme, host)),
                  URL.withoutDots (Substring.string path),
                  Substring.string query]
        end
      val isWhole =
        let
          val (scheme, rest) = Substring.splitl HTTPText'.isTokenChar (Substring.full text)
        in
          not (Substring.isEmpty scheme) andalso Substring.isPrefix ":" rest
        end
    in
      if isWhole then whole text
      else if String.isPrefix "//" text then whole (schemeOf base ^ text)
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
end
