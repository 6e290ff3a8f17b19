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
  exception Malformed of {text : string, at : int, reason : string}

  (* A text may be long, and a message is for people. *)
  fun shown text =
    if size text <= 200 then String.toString text
    else String.toString (String.substring (text, 0, 200)) ^ "..."
  val () =
    MLton.Exn.addExnMessager (fn Malformed {text, at, reason} =>
                                   SOME (concat ["URL: ",
                                                 reason,
                                                 ", at ",
                                                 Int.toString at,
                                                 ": ",
                                                 shown text])
                               | _ => NONE)

  (* -- characters: a bit for each set that one is in *)

  (* RFC 3986, 2.3, and a host's name, user information, a path, a query and a fragment, 3.2 to 3.5 *)
  val (UNRESERVED, HOST, USER, PATH, QUERY) = (0w1, 0w2, 0w4, 0w8, 0w16)
  (* what encodeSegment keeps, what a scheme is made of, and what encodeForm keeps (URL Standard, 5.2) *)
  val (SEGMENT, SCHEME, FORM) = (0w32, 0w64, 0w128)

  val classes =
    let
      fun word c =
        if Char.isAlphaNum c then 0wxFF
        else
          case c of
            #"-" => 0wxFF
          | #"." => 0wxFF
          | #"_" => 0wxBF
          | #"*" => 0wxBE
          | #"~" => 0wx3F
          | #"+" => 0wx7E
          | #":" => 0wx1C
          | #"@" => 0wx38
          | #"/" => 0wx18
          | #"?" => 0wx10
          | _ => if Char.contains "!$&'(),;=" c then 0wx3E else 0wx00
    in
      CharVector.tabulate (256, Char.chr o Word.toInt o word o Char.chr)
    end

  fun isIn (c, set) =
    Word.andb (Word.fromInt (Char.ord (String.sub (classes, Char.ord c))), set) <> 0w0

  fun isHexAt (text, i) =
    i + 1 < size text
    andalso Char.isHexDigit (String.sub (text, i))
    andalso Char.isHexDigit (String.sub (text, i + 1))

  fun digit c =
    if c <= #"9" then Char.ord c - 48
    else Word.toInt (Word.andb (Word.fromInt (Char.ord c), 0w7)) + 9
  fun byteAt (text, i) =
    Char.chr (16 * digit (String.sub (text, i)) + digit (String.sub (text, i + 1)))

  fun hex n = String.sub ("0123456789ABCDEF", n)
  fun percent c = String.implode [#"%", hex (Char.ord c div 16), hex (Char.ord c mod 16)]

  val lower = CharVector.map Char.toLower
  fun lowered text = if CharVector.exists Char.isUpper text then lower text else text

  fun part (text, i, j) =
    if i = 0 andalso j = size text then text else String.substring (text, i, j - i)

  (* The first place from i on that is neither of a set, nor a `%` with two digits. *)
  fun skip (text, n, set, i) =
    if i >= n then n
    else
      let
        val c = String.sub (text, i)
      in
        if isIn (c, set) then skip (text, n, set, i + 1)
        else if c = #"%" andalso isHexAt (text, i + 1) then skip (text, n, set, i + 3)
        else i
      end

  (* -- encoding *)

  fun encoded (set, plus) text =
    let
      val n = size text
      fun count (i, more) =
        if i = n then more
        else
          let
            val c = String.sub (text, i)
          in
            count (i + 1, if isIn (c, set) orelse plus andalso c = #" " then more else more + 2)
          end
      val more = count (0, 0)
    in
      if more = 0 andalso not (plus andalso Char.contains text #" ") then text
      else
        let
          val made = CharArray.array (n + more, #"+")
          fun go (i, j) =
            if i = n then ()
            else
              let
                val c = String.sub (text, i)
              in
                if isIn (c, set) then (CharArray.update (made, j, c); go (i + 1, j + 1))
                else if plus andalso c = #" " then go (i + 1, j + 1)
                else
                  (CharArray.update (made, j, #"%");
                   CharArray.update (made, j + 1, hex (Char.ord c div 16));
                   CharArray.update (made, j + 2, hex (Char.ord c mod 16));
                   go (i + 1, j + 3))
              end
        in
          go (0, 0);
          CharArray.vector made
        end
    end

  fun encode text = encoded (UNRESERVED, false) text
  fun encodeSegment text = encoded (SEGMENT, false) text
  fun encodeForm text = encoded (FORM, true) text

  (* The text from i to j, decoded; as it is if a `%` stands alone, of which `isRight` is told. *)
  fun decodedPart (plus, text, i, j, isRight) =
    let
      (* how many bytes fall away, and whether there is a `+` for a blank; ~1: it cannot be decoded *)
      fun count (k, less, pluses) =
        if k >= j then (less, pluses)
        else
          case String.sub (text, k) of
            #"%" =>
              if k + 2 < j andalso isHexAt (text, k + 1) then count (k + 3, less + 2, pluses)
              else (~1, false)
          | c => count (k + 1, less, pluses orelse plus andalso c = #"+")
    in
      case count (i, 0, false) of
        (0, false) => part (text, i, j)
      | (~1, _) => (isRight := false; part (text, i, j))
      | (less, _) =>
          let
            val made = CharArray.array (j - i - less, #" ")
            fun go (k, to) =
              if k >= j then ()
              else
                case String.sub (text, k) of
                  #"%" => (CharArray.update (made, to, byteAt (text, k + 1)); go (k + 3, to + 1))
                | c =>
                    (if plus andalso c = #"+" then () else CharArray.update (made, to, c);
                     go (k + 1, to + 1))
          in
            go (i, 0);
            CharArray.vector made
          end
    end

  fun lenient plus (text, i, j) = decodedPart (plus, text, i, j, ref true)
  fun strict plus text =
    let
      val isRight = ref true
      val decoded = decodedPart (plus, text, 0, size text, isRight)
    in
      if !isRight then SOME decoded else NONE
    end
  fun decode text = strict false text
  fun decodeForm text = strict true text
  fun plain text = lenient false (text, 0, size text)

  (* The first place from i to j where a character stands, or j. *)
  fun find (text, c, i, j) =
    if i < j andalso String.sub (text, i) <> c then find (text, c, i + 1, j) else i

  fun parseFormPart (text, i, j) =
    let
      fun go (i, found) =
        if i > j then List.rev found
        else
          let
            val stop = find (text, #"&", i, j)
          in
            if stop = i then go (i + 1, found)
            else
              let
                val equal = find (text, #"=", i, stop)
                val value = if equal < stop then lenient true (text, equal + 1, stop) else ""
              in
                go (stop + 1, (lenient true (text, i, equal), value) :: found)
              end
          end
    in
      go (i, [])
    end
  fun parseForm text = parseFormPart (text, 0, size text)

  fun form fields =
    let
      fun one ((name, value), rest) = encodeForm name :: "=" :: encodeForm value :: rest
      fun go [] = []
        | go [field] = one (field, [])
        | go (field :: rest) = one (field, "&" :: go rest)
    in
      String.concat (go fields)
    end

  (* -- parsing *)

  (* Where the parts are: `scheme` is its colon, or ~1; `host` is its first byte, or ~1, and `hostEnd` the colon before
     the port, or where the path begins; `path` its first byte; `query` its `?`, or where it would stand; `fragment` its
     `#`, or the end. *)
  datatype url =
    AT of
        {text : string,
         scheme : int,
         host : int,
         hostEnd : int,
         path : int,
         query : int,
         fragment : int}

  datatype host = NAME of string | IPV4 of string | IPV6 of string | FUTURE of string

  fun wrong (text, at, reason) = raise Malformed {text = text, at = at, reason = reason}

  (* Refuses the byte that stands at a place, in a part. *)
  fun refuse (text, at, place) =
    let
      val isHost = place = "the host"
      fun written c = if isHost then "" else ": it is written " ^ percent c
      fun reason c =
        if c = #"%" then concat ["a `%` without two hexadecimal digits in ", place]
        else if c = #" " then concat ["a blank in ", place, written c]
        else if Char.isCntrl c then concat ["a control character in ", place, written c]
        else if c > #"\127" then
          concat ["a byte beyond ASCII in ",
                  place,
                  if isHost then ": such a name is written in the form of DNS, `xn--`"
                  else written c]
        else concat ["`", String.str c, "` in ", place, written c]
    in
      wrong (text, at, reason (String.sub (text, at)))
    end

  fun whole scan text =
    case scan Substring.getc (Substring.full text) of
      SOME (x, rest) => if Substring.isEmpty rest then SOME x else NONE
    | NONE => NONE

  fun isFuture text =
    let
      val n = size text
      val dot = find (text, #".", 0, n)
    in
      n > 0
      andalso Char.toLower (String.sub (text, 0)) = #"v"
      andalso dot > 1
      andalso CharVector.all Char.isHexDigit (part (text, 1, Int.min (dot, n)))
      andalso dot + 1 < n
      andalso CharVector.all (fn c => isIn (c, USER)) (part (text, dot + 1, n))
    end

  (* Four decimal numbers, without zeros in front. *)
  fun isFour text =
    let
      fun isOctet s =
        size s > 0
        andalso size s <= 3
        andalso (size s = 1 orelse String.sub (s, 0) <> #"0")
        andalso valOf (Int.fromString s) < 256
    in
      CharVector.all (fn c => Char.isDigit c orelse c = #".") text
      andalso (case String.fields (fn c => c = #".") text of
                 octets as [_, _, _, _] => List.all isOctet octets
               | _ => false)
    end

  (* An address of IPv6 that may end with one of IPv4. *)
  fun six text =
    let
      fun isOne c = Char.isHexDigit c orelse c = #":" orelse c = #"."
      val back = Substring.taker (fn c => c <> #":") (Substring.full text)
    in
      if CharVector.all isOne text
         andalso (not (Char.contains text #".") orelse isFour (Substring.string back))
      then whole Net6HostDB.scan text
      else NONE
    end

  (* The place behind a host that begins with a bracket. *)
  fun literal (text, i) =
    let
      val stop = find (text, #"]", i, size text)
      val inside = part (text, i + 1, stop)
    in
      if stop = size text then wrong (text, i, "a bracket that is not closed")
      else if isFuture inside orelse isSome (six inside) then stop + 1
      else if Char.contains inside #"%" then
        wrong (text, find (text, #"%", i, stop), "a zone in an address of IPv6")
      else wrong (text, i + 1, "an address of IPv6 that is none")
    end

  (* The place behind a host's name. What is written with `%` is a byte of a name, and nothing that ends one. *)
  fun named (text, n, i) =
    let
      val stop = skip (text, n, HOST, i)
      fun check i =
        if i >= stop then ()
        else if String.sub (text, i) = #"%" then
          let
            val c = byteAt (text, i + 1)
          in
            if c > #"\127" orelse isIn (c, HOST) then check (i + 3)
            else wrong (text, i, concat ["`", part (text, i, i + 3), "` in the host"])
          end
        else check (i + 1)
    in
      check i;
      stop
    end

  fun parse text =
    let
      val n = size text
      fun isAt (c, i) = i < n andalso String.sub (text, i) = c

      fun tail (scheme, host, hostEnd, path) =
        let
          val query = skip (text, n, PATH, path)
          val fragment = if isAt (#"?", query) then skip (text, n, QUERY, query + 1) else query
          val stop =
            if isAt (#"#", fragment) then skip (text, n, QUERY, fragment + 1) else fragment
        in
          if stop < n then
            refuse (text,
                    stop,
                    if fragment < stop then "the fragment"
                    else if query < stop then "the query"
                    else "the path")
          else
            AT {text = text,
                scheme = scheme,
                host = host,
                hostEnd = hostEnd,
                path = path,
                query = query,
                fragment = fragment}
        end

      fun digits (i, value) =
        if i < n andalso Char.isDigit (String.sub (text, i)) then
          if value > 65535 then (i, value)
          else digits (i + 1, 10 * value + Char.ord (String.sub (text, i)) - 48)
        else (i, value)

      fun authority (scheme, start) =
        let
          val at = skip (text, n, USER, start)
          val host = if isAt (#"@", at) then at + 1 else start
          val hostEnd = if isAt (#"[", host) then literal (text, host) else named (text, n, host)
          fun isEnd i =
            i = n
            orelse (case String.sub (text, i) of
                      #"/" => true
                    | #"?" => true
                    | #"#" => true
                    | _ => false)
        in
          if isEnd hostEnd then tail (scheme, host, hostEnd, hostEnd)
          else if isAt (#":", hostEnd) then
            let
              val (path, port) = digits (hostEnd + 1, 0)
            in
              if port > 65535 then wrong (text, hostEnd + 1, "a port above 65535")
              else if isEnd path then tail (scheme, host, hostEnd, path)
              else wrong (text, path, "a port that is no number")
            end
          else refuse (text, hostEnd, "the host")
        end

      fun behind (scheme, i) =
        if isAt (#"/", i) andalso isAt (#"/", i + 1) then authority (scheme, i + 2)
        else tail (scheme, ~1, i, i)

      fun schemeEnd i =
        if i < n andalso isIn (String.sub (text, i), SCHEME) then schemeEnd (i + 1) else i

      val colon = if n > 0 andalso Char.isAlpha (String.sub (text, 0)) then schemeEnd 1 else 0
      (* a path without a scheme has no colon before its first slash *)
      fun noColon i =
        if i = n then ()
        else
          case String.sub (text, i) of
            #":" =>
              wrong
                (text, i, if i = 0 then "no scheme before the colon" else "a scheme that is none")
          | c => if isIn (c, PATH) andalso c <> #"/" orelse c = #"%" then noColon (i + 1) else ()
    in
      if isAt (#":", colon) andalso colon > 0 then behind (colon, colon + 1)
      else (noColon colon; behind (~1, 0))
    end

  fun fromString text = SOME (parse text) handle Malformed _ => NONE
  fun toString (AT {text, ...}) = text

  (* -- parts *)

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

  (* -- making *)

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
