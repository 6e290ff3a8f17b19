(* URL: addresses and relative references (RFC 3986), and queries as names and values.

   A URL is its text, of which it is known that it is one, and where its parts begin. So parsing makes one object, and a
   part costs its own text when it is asked for.

   Differences: a port is 65535 at most. A host's name may have bytes above 127, each written with `%`; but no ASCII
   character may be written so if no name could have it as it is. *)

signature URL =
sig
  (* An address, `https://a.example/b?c#d`, or a reference that is read beside one, `../b?c`. It has no blank, no
     control character, and no byte above 127. Two are equal if their texts are; see `normalise`. *)
  eqtype url

  (* The text is no URL: the first byte that is wrong, counted from 0, and why. *)
  exception Malformed of {text : string, at : int, reason : string}

  (* -- texts *)

  (* The URL that a text is. Raises Malformed. *)
  val parse : string -> url
  (* The same; NONE for a text that is none. *)
  val fromString : string -> url option
  (* Its text, as it was parsed or made. *)
  val toString : url -> string
  (* Its text for logs, with `xxxxx` in the place of a password. *)
  val redacted : url -> string
  (* A text as people and some servers write it, made ready for `parse`: blanks, control characters, bytes above 127 and
     other characters that no URL has become `%` and two digits, and so do a `%` without digits, brackets behind the
     host, and a second `#`. The name of a host beyond ASCII becomes such bytes, too, not the form that names have in
     DNS (`xn--`). *)
  val escape : string -> string

  (* -- parts *)

  (* A name is decoded, and in small letters. It is none of the other kinds, though systems take names such as `127.1`
     for addresses, too. An address of IPv4 has four decimal numbers, and one of IPv6 is without its brackets. FUTURE is
     an address of a later protocol, `v1.a`, without its brackets. *)
  datatype host = NAME of string | IPV4 of string | IPV6 of string | FUTURE of string

  (* The scheme in small letters; NONE for a relative reference. *)
  val scheme : url -> string option
  (* What is behind `//` as it stands: user information, host and port. NONE without `//`. *)
  val authority : url -> string option
  (* What is before `@` as it stands. *)
  val userInfo : url -> string option
  (* The same, decoded: a name, and what is behind its first colon. *)
  val user : url -> {name : string, password : string option} option
  (* The host; NONE without `//`, and an empty name for `file:///a`. *)
  val host : url -> host option
  (* The port that is written in it. *)
  val port : url -> int option
  (* The port that is written in it, or else the usual one of its scheme. *)
  val effectivePort : url -> int option
  (* The usual port of a scheme in small letters: http, https, ws, wss, ftp. *)
  val usualPort : string -> int option
  (* The path as it stands; it may be empty. *)
  val path : url -> string
  (* The parts of the path between its slashes, decoded, without the slash that begins it. A path that ends with a slash
     has an empty last part, and the empty path has no part. A decoded part may contain a slash or a NUL, and be `..`:
     look at it before it names a file. *)
  val segments : url -> string list
  (* What is between the first `?` and `#`, as it stands; NONE without `?`. *)
  val query : url -> string option
  (* The names and values of the query, in their order: see `parseForm`. *)
  val parameters : url -> (string * string) list
  (* The first value that the query has for a name. *)
  val parameter : url -> string -> string option
  (* What is behind `#`, as it stands; NONE without `#`. *)
  val fragment : url -> string option

  (* -- making and changing them *)

  (* The parts of a URL as they stand, but for the host, and for the scheme, which is in small letters. *)
  type parts =
    {scheme : string option,
     userInfo : string option,
     host : host option,
     port : int option,
     path : string,
     query : string option,
     fragment : string option}
  (* All parts of a URL. *)
  val parts : url -> parts
  (* The URL of these parts. `encode` and its like make parts from other texts; a host's name is encoded here. Raises
     Malformed for what no such part can be, and for parts that would be read as others: user information or a port
     without a host, a path behind a host that does not begin with a slash, one without a host that begins with two, and
     one without a scheme whose first part has a colon. *)
  val make : parts -> url
  (* The URL with another host, port (NONE: without one), path as it stands, or user, who is encoded (NONE: without
     one). These raise Malformed as `make` does. *)
  val withHost : host -> url -> url
  (* With another port. *)
  val withPort : int option -> url -> url
  (* With another path. *)
  val withPath : string -> url -> url
  (* With another user. *)
  val withUser : {name : string, password : string option} option -> url -> url
  (* The URL with these parts behind its path, each of them encoded, and one slash between two; query and fragment stay.
     An empty last part makes a path that ends with a slash. Raises Malformed for a part `.` or `..`, which no path can
     have as a name. *)
  val join : url -> string list -> url
  (* The URL with these names and values as its query, in the place of the one that it has: see `form`; without a query
     for []. *)
  val withParameters : (string * string) list -> url -> url
  (* The URL with this text, which is encoded, as its fragment, or without one. *)
  val withFragment : string option -> url -> url

  (* What a reference means that stands in the text at `base`: RFC 3986, 5.2, strictly. `base` has a scheme; raises
     Malformed for another one. *)
  val resolve : {base : url} -> url -> url
  (* The text that all URLs have in common that are the same but for how they are written (RFC 3986, 6.2.2 and 6.2.3):
     scheme and host in small letters; `%` only where it is needed, with capital digits; a path that begins with a slash
     without `.` and `..`; addresses of IPv6 as RFC 5952 has them; no usual port, and no empty one; and `/` for an empty
     path behind a host, for the schemes that have a usual port. *)
  val normalise : url -> url

  (* A path as it stands, without `.` and `..` as its parts: RFC 3986, 5.2.4. What would lead above its beginning leads
     there. *)
  val withoutDots : string -> string

  (* -- encoding *)

  (* Any text as a part of a URL, or as a name or value in a query: all bytes but letters, digits and `-._~` become `%`
     and two digits. *)
  val encode : string -> string
  (* A text as a part of a path between slashes: like `encode`, but `!$&'()*+,;=@` stay, too. *)
  val encodeSegment : string -> string
  (* A text as a name or value of a form, as browsers write it: all bytes but letters, digits and `*-._` become `%` and
     two digits, and a blank becomes `+`. *)
  val encodeForm : string -> string
  (* The text that was encoded, by `encode` or `encodeSegment`; NONE if a `%` is not before two hexadecimal digits. *)
  val decode : string -> string option
  (* The same by `encodeForm`: `+` is a blank. *)
  val decodeForm : string -> string option
  (* Names and values as application/x-www-form-urlencoded: `a=1&b=x+y`. *)
  val form : (string * string) list -> string
  (* Names and values of such a text, in their order. A name without `=` has an empty value; nothing between two `&` is
     passed over; a name or a value that cannot be decoded stays as it is. *)
  val parseForm : string -> (string * string) list
end

structure URL :> URL =
struct
  open URLCoding'
  open URLSyntax'
  open URLParts'

  (* -- resolving: RFC 3986, 5.2 *)

  (* 5.2.4. Each part is there with the slash before it. *)
  fun withoutDots path =
    let
      fun up [] = []
        | up (_ :: done) = done
      fun go ([], done) = done
        | go (["."], done) = "/" :: done
        | go ([".."], done) = "/" :: up done
        | go ("." :: rest, done) = go (rest, done)
        | go (".." :: rest, done) = go (rest, up done)
        | go (part :: rest, done) = go (rest, "/" ^ part :: done)
      fun all ("" :: rest) = go (rest, [])
        | all ("." :: rest) = all rest
        | all (".." :: rest) = all rest
        | all (first :: rest) = go (rest, [first])
        | all [] = []
    in
      if String.isPrefix "." path orelse String.isSubstring "/." path then
        concat (List.rev (all (String.fields (fn c => c = #"/") path)))
      else path
    end

  fun resolve {base = base as AT {text, scheme = colon, ...}} url =
    let
      val scheme =
        case schemeAsIs base of
          NONE => wrong (text, 0, "a base without a scheme")
        | found => found
      val new = path url
      fun merged () =
        case path base of
          "" => if isSome (authority base) then "/" ^ new else new
        | old =>
            Substring.string (Substring.dropr (fn c => c <> #"/") (Substring.full old)) ^ new
    in
      case (schemeAsIs url, authority url) of
        (NONE, NONE) =>
          if new = "" then
            compose (scheme,
                     authority base,
                     path base,
                     case query url of NONE => query base | found => found,
                     fragment url)
          else
            compose (scheme,
                     authority base,
                     withoutDots (if String.isPrefix "/" new then new else merged ()),
                     query url,
                     fragment url)
      | (NONE, authority) => compose (scheme, authority, withoutDots new, query url, fragment url)
      | (own, authority) => compose (own, authority, withoutDots new, query url, fragment url)
    end

  (* -- normal forms: RFC 3986, 6.2 *)

  (* With `%` only where it is needed. *)
  fun canonical text =
    let
      val n = size text
      fun go (i, pieces) =
        let
          val next = find (text, #"%", i, n)
          val pieces = part (text, i, next) :: pieces
        in
          if next = n then concat (List.rev pieces)
          else
            let
              val c = byteAt (text, next + 1)
            in
              go (next + 3, (if isIn (c, UNRESERVED) then String.str c else percent c) :: pieces)
            end
        end
    in
      if Char.contains text #"%" then go (0, []) else text
    end

  fun normalise url =
    let
      val scheme = scheme url
      val usual = Option.mapPartial usualPort scheme
      val host =
        Option.map
          (fn IPV6 text => IPV6 (Net6HostDB.toString (valOf (six text)))
            | host => host)
          (host url)
      val port = if port url = usual then NONE else port url
      val authority =
        Option.map
          (fn host =>
            concat [case userInfo url of SOME text => canonical text ^ "@" | NONE => "",
                    hostText host,
                    case port of SOME n => ":" ^ Int.toString n | NONE => ""])
          host
      val path = canonical (path url)
      val path = if String.isPrefix "/" path then withoutDots path else path
      val path = if path = "" andalso isSome host andalso isSome usual then "/" else path
    in
      compose (scheme,
               authority,
               path,
               Option.map canonical (query url),
               Option.map canonical (fragment url))
    end

  (* -- what people write *)

  fun escape text =
    let
      val n = size text
      fun upTo (isIn, i) =
        if i < n andalso isIn (String.sub (text, i)) then upTo (isIn, i + 1) else i
      val colon = upTo (fn c => isIn (c, SCHEME), 0)
      val start = if colon < n andalso String.sub (text, colon) = #":" then colon + 1 else 0
      val hostEnd =
        if start + 1 < n andalso part (text, start, start + 2) = "//" then
          upTo (fn c => c <> #"/" andalso c <> #"?" andalso c <> #"#", start + 2)
        else start
      val hash = find (text, #"#", 0, n)
      fun isRight (i, c) =
        isIn (c, QUERY)
        orelse c = #"%"
               andalso isHexAt (text, i + 1)
        orelse i = hash
        orelse i < hostEnd
               andalso (c = #"[" orelse c = #"]")
      fun one (i, c) = if isRight (i, c) then String.str c else percent c
    in
      concat (List.tabulate (n, fn i => one (i, String.sub (text, i))))
    end
end
