(* URLSyntax': a text -> a URL, of which it is known where its parts begin (RFC 3986, 3), or what is wrong with it. *)

structure URLSyntax' =
struct
  open URLCoding'

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
end
