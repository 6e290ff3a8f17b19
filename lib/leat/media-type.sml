(* MediaType: kinds of content, `text/html; charset=utf-8` (RFC 9110, 8.3): read and written, by the names of files, and
   the one that a client prefers. *)

signature MEDIA_TYPE =
sig
  (* `kind` is a type and a subtype, `text/html`, which browsers call the essence. It is in small letters, and so are
     the names of parameters. *)
  type media = {kind : string, parameters : (string * string) list}

  (* The text is no such value, or the value cannot be written: why. *)
  exception Malformed of string

  (* -- texts *)

  (* What a field Content-Type says. A value in quotes is without them. Raises Malformed. *)
  val parse : string -> media
  (* The same; NONE for a text that is none. *)
  val fromString : string -> media option
  (* The same for other fields of that form, of which `kind` is the first word: `attachment; filename="a b.txt"` of
     Content-Disposition. Raises Malformed. *)
  val parseField : string -> media
  (* Its text, with quotes where they are needed. Raises Malformed for a kind or a name that is none, and for a value
     with control characters. *)
  val toString : media -> string
  (* The value of a parameter, by its name in small letters. A value beyond ASCII may be that of `name*` (RFC 8187), as
     `filename*=UTF-8''caf%C3%A9`, which is decoded, and goes before that of `name`; it is written by `("filename*",
     "UTF-8''" ^ URL.encode text)` among the parameters. *)
  val parameter : media -> string -> string option

  (* -- files *)

  (* The kind of content of files whose names end so, without the dot; of texts with `charset=utf-8`. *)
  val ofExtension : string -> string option
  (* The kind that a file's name tells; `application/octet-stream` if it tells none. *)
  val ofFile : string -> string
  (* How the names of files of a kind end, the usual one first; parameters do not matter. *)
  val extensions : string -> string list

  (* -- what a client takes: RFC 9110, 12.5.1 *)

  (* How much a client that sends this field Accept wants a kind, from 0.0 (not at all) to 1.0. The closest range of
     the field counts: `text/html;level=1`, `text/html`, `text/*`, then `*/*`. An empty field takes all; what is no
     range in it is passed over. *)
  val quality : {accept : string} -> string -> real
  (* The kind that the client wants most, of several the first one; NONE if it takes none. Raises Malformed, as
     `quality` does, for a kind that is none. *)
  val choose : {accept : string, offered : string list} -> string option
end

structure MediaType :> MEDIA_TYPE =
struct
  open HTTPText'

  type media = {kind : string, parameters : (string * string) list}
  exception Malformed of string

  (* -- texts *)

  fun blanks s = Substring.dropl isBlank s

  (* A value in quotes, from behind the first one. *)
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

  (* The parameters up to the end, or up to a comma, and what is left. *)
  fun parametersOf (s, found) =
    let
      val s = blanks s
    in
      case Substring.getc s of
        SOME (#";", s) =>
          let
            val (name, s) = Substring.splitl isTokenChar (blanks s)
            val s = blanks s
          in
            if Substring.isEmpty name then parametersOf (s, found)
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
                parametersOf (s, (lower (Substring.string name), value) :: found)
              end
            else raise Malformed "a parameter without a value"
          end
      | _ => (List.rev found, s)
    end

  fun parseField text : media =
    let
      val (kind, s) = Substring.splitl (fn c => c <> #";") (Substring.full text)
      val (parameters, rest) = parametersOf (s, [])
    in
      if Substring.isEmpty rest then
        {kind = lower (Substring.string (trimmed kind)), parameters = parameters}
      else raise Malformed "something that is no parameter"
    end

  fun isKind kind =
    case String.fields (fn c => c = #"/") kind of
      [a, b] => isToken a andalso isToken b
    | _ => false

  fun parse text =
    let
      val media as {kind, ...} = parseField text
    in
      if isKind kind then media else raise Malformed "a kind that is no type and subtype"
    end
  fun fromString text = SOME (parse text) handle Malformed _ => NONE

  fun toString {kind, parameters} =
    let
      fun escape c = if c = #"\"" orelse c = #"\\" then "\\" ^ String.str c else String.str c
      fun value text =
        if isToken text then text
        else if CharVector.all isValueChar text then
          concat ["\"", String.translate escape text, "\""]
        else raise Malformed "a control character in the value of a parameter"
      fun one (name, text) =
        if isToken name then concat ["; ", name, "=", value text]
        else raise Malformed "the name of a parameter that is none"
    in
      if isKind kind orelse isToken kind then concat (kind :: List.map one parameters)
      else raise Malformed "a kind that is none"
    end

  fun parameter ({parameters, ...} : media) wanted =
    let
      fun get wanted = Option.map #2 (List.find (fn (name, _) => name = wanted) parameters)
      fun extended text =
        case String.fields (fn c => c = #"'") text of
          [set, _, value] => if lower set = "utf-8" then URL.decode value else NONE
        | _ => NONE
    in
      case Option.mapPartial extended (get (wanted ^ "*")) of
        NONE => get wanted
      | found => found
    end

  (* -- files *)

  val utf8 = "; charset=utf-8"

  (* By how names end, in order; and whether that is the usual end for its kind. *)
  val table =
    Vector.fromList [("7z", ("application/x-7z-compressed", true)),
                     ("aac", ("audio/aac", true)),
                     ("atom", ("application/atom+xml", true)),
                     ("avi", ("video/x-msvideo", true)),
                     ("avif", ("image/avif", true)),
                     ("bin", ("application/octet-stream", true)),
                     ("bmp", ("image/bmp", true)),
                     ("bz2", ("application/x-bzip2", true)),
                     ("c", ("text/plain" ^ utf8, false)),
                     ("css", ("text/css" ^ utf8, true)),
                     ("csv", ("text/csv" ^ utf8, true)),
                     ("doc", ("application/msword", true)),
                     ("docx",
                      ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                       true)),
                     ("epub", ("application/epub+zip", true)),
                     ("flac", ("audio/flac", true)),
                     ("gif", ("image/gif", true)),
                     ("gz", ("application/gzip", true)),
                     ("h", ("text/plain" ^ utf8, false)),
                     ("heic", ("image/heic", true)),
                     ("htm", ("text/html" ^ utf8, false)),
                     ("html", ("text/html" ^ utf8, true)),
                     ("ico", ("image/vnd.microsoft.icon", true)),
                     ("ics", ("text/calendar" ^ utf8, true)),
                     ("jpeg", ("image/jpeg", false)),
                     ("jpg", ("image/jpeg", true)),
                     ("js", ("text/javascript" ^ utf8, true)),
                     ("json", ("application/json", true)),
                     ("jsonld", ("application/ld+json", true)),
                     ("jxl", ("image/jxl", true)),
                     ("log", ("text/plain" ^ utf8, false)),
                     ("m4a", ("audio/mp4", true)),
                     ("map", ("application/json", false)),
                     ("md", ("text/markdown" ^ utf8, true)),
                     ("mjs", ("text/javascript" ^ utf8, false)),
                     ("mkv", ("video/matroska", true)),
                     ("mov", ("video/quicktime", true)),
                     ("mp3", ("audio/mpeg", true)),
                     ("mp4", ("video/mp4", true)),
                     ("mpeg", ("video/mpeg", true)),
                     ("ndjson", ("application/x-ndjson", true)),
                     ("odp", ("application/vnd.oasis.opendocument.presentation", true)),
                     ("ods", ("application/vnd.oasis.opendocument.spreadsheet", true)),
                     ("odt", ("application/vnd.oasis.opendocument.text", true)),
                     ("oga", ("audio/ogg", true)),
                     ("ogg", ("audio/ogg", false)),
                     ("ogv", ("video/ogg", true)),
                     ("opus", ("audio/ogg", false)),
                     ("otf", ("font/otf", true)),
                     ("pdf", ("application/pdf", true)),
                     ("pem", ("application/x-pem-file", true)),
                     ("png", ("image/png", true)),
                     ("ppt", ("application/vnd.ms-powerpoint", true)),
                     ("pptx",
                      ("application/vnd.openxmlformats-officedocument.presentationml.presentation",
                       true)),
                     ("ps", ("application/postscript", true)),
                     ("rss", ("application/rss+xml", true)),
                     ("rtf", ("application/rtf", true)),
                     ("sh", ("application/x-sh", true)),
                     ("sig", ("text/plain" ^ utf8, false)),
                     ("sml", ("text/plain" ^ utf8, false)),
                     ("svg", ("image/svg+xml", true)),
                     ("tar", ("application/x-tar", true)),
                     ("tif", ("image/tiff", false)),
                     ("tiff", ("image/tiff", true)),
                     ("toml", ("application/toml", true)),
                     ("tsv", ("text/tab-separated-values" ^ utf8, true)),
                     ("ttf", ("font/ttf", true)),
                     ("txt", ("text/plain" ^ utf8, true)),
                     ("vtt", ("text/vtt" ^ utf8, true)),
                     ("wasm", ("application/wasm", true)),
                     ("wav", ("audio/wav", true)),
                     ("webm", ("video/webm", true)),
                     ("webmanifest", ("application/manifest+json", true)),
                     ("webp", ("image/webp", true)),
                     ("woff", ("font/woff", true)),
                     ("woff2", ("font/woff2", true)),
                     ("xhtml", ("application/xhtml+xml", true)),
                     ("xls", ("application/vnd.ms-excel", true)),
                     ("xlsx",
                      ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true)),
                     ("xml", ("application/xml", true)),
                     ("xz", ("application/x-xz", true)),
                     ("yaml", ("application/yaml", true)),
                     ("yml", ("application/yaml", false)),
                     ("zip", ("application/zip", true)),
                     ("zst", ("application/zstd", true))]

  fun ofExtension extension =
    let
      val wanted = lower extension
    in
      Option.map #1 (SortedNames'.find (table, wanted))
    end

  fun ofFile name =
    case Option.mapPartial ofExtension (OS.Path.ext name) of
      SOME kind => kind
    | NONE => "application/octet-stream"

  (* without its parameters *)
  fun bare text =
    lower (Substring.string (trimmed (Substring.takel (fn c => c <> #";") (Substring.full text))))

  fun extensions text =
    let
      val wanted = bare text
      fun all isUsual =
        Vector.foldr
          (fn ((end', (kind, usual)), l) =>
            if usual = isUsual andalso bare kind = wanted then end' :: l else l)
          []
          table
    in
      all true @ all false
    end

  (* -- what a client takes *)

  (* A quality in thousandths: 0, or 1, with three decimals at most. *)
  fun thousandths text =
    let
      val (whole, rest) = Substring.splitl Char.isDigit (Substring.full text)
      val digits = Substring.string (Substring.triml 1 rest)
    in
      if not (Substring.isEmpty rest orelse Substring.isPrefix "." rest)
         orelse size digits > 3
         orelse not (CharVector.all Char.isDigit digits)
      then NONE
      else
        case (Substring.string whole,
              Option.getOpt (Int.fromString (StringCvt.padRight #"0" 3 digits), 0)) of
          ("0", n) => SOME n
        | ("1", 0) => SOME 1000
        | _ => NONE
    end

  (* The ranges of a field, with their qualities. *)
  fun ranges accept =
    let
      (* behind a range that is none: a comma in quotes does not end it *)
      fun pass s =
        case Substring.getc s of
          NONE => s
        | SOME (#",", s) => s
        | SOME (#"\"", s) => (pass (#2 (quoted (s, []))) handle Malformed _ => Substring.full "")
        | SOME (_, s) => pass s
      fun go (s, found) =
        let
          val s = Substring.dropl (fn c => isBlank c orelse c = #",") s
          val (kind, behind) = Substring.splitl (fn c => c <> #";" andalso c <> #",") s
        in
          if Substring.isEmpty s then List.rev found
          else
            case SOME (parametersOf (behind, [])) handle Malformed _ => NONE of
              NONE => go (pass behind, found)
            | SOME (parameters, rest) =>
                let
                  val kind = lower (Substring.string (trimmed kind))
                  val (qualities, parameters) =
                    List.partition (fn (name, _) => name = "q") parameters
                  val quality =
                    case qualities of [] => SOME 1000 | (_, text) :: _ => thousandths text
                  val isEnd = Substring.isEmpty rest orelse Substring.isPrefix "," rest
                in
                  case (isEnd andalso isKind kind, quality) of
                    (true, SOME q) => go (pass rest, (kind, parameters, q) :: found)
                  | _ => go (pass rest, found)
                end
        end
    in
      go (Substring.full accept, [])
    end

  fun qualityOf [] _ = 1000
    | qualityOf ranges text =
        let
          val {kind, parameters} = parseField text
          val family = Substring.string (Substring.takel (fn c => c <> #"/") (Substring.full kind))
          fun has (name, value) =
            List.exists (fn (n, v) => n = name andalso same (v, value)) parameters
          (* how close a range is; ~1: it is another kind *)
          fun closeness (range, wanted) =
            if range = kind andalso List.all has wanted then 2 + List.length wanted
            else if range = family ^ "/*" then 1
            else if range = "*/*" then 0
            else ~1
          fun better ((range, wanted, q), (most, found)) =
            let
              val n = closeness (range, wanted)
            in
              if n > most then (n, q) else (most, found)
            end
        in
          #2 (List.foldl better (~1, 0) ranges)
        end

  fun quality {accept} text = Real.fromInt (qualityOf (ranges accept) text) / 1000.0

  fun choose {accept, offered} =
    let
      val ranges = ranges accept
      fun better (kind, (most, found)) =
        let
          val q = qualityOf ranges kind
        in
          if q > most then (q, SOME kind) else (most, found)
        end
    in
      #2 (List.foldl better (0, NONE) offered)
    end
end
