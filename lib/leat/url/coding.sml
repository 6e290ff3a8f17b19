(* URLCoding': the characters of URLs, and texts whose other bytes are written as `%` and two digits: parts of URLs, and
   names and values of forms. *)

structure URLCoding' =
struct
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
end
