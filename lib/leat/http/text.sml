(* HTTPText': the characters that the grammar of HTTP is made of, and what is written with them. *)

structure HTTPText' =
struct
  fun table isIn = CharVector.tabulate (256, fn i => if isIn (Char.chr i) then #"t" else #"f")
  fun isIn table c = String.sub (table, Char.ord c) = #"t"

  (* what a method, and a field's name, is made of: RFC 9110, 5.6.2 *)
  val isTokenChar =
    isIn (table (fn c => Char.isAlphaNum c orelse Char.contains "!#$%&'*+-.^_`|~" c))
  (* what a field's value is made of: visible characters, blanks, tabs, and bytes above 127 *)
  val isValueChar = isIn (table (fn c => c >= #" " andalso c <> #"\127" orelse c = #"\t"))
  (* what a target is made of: nothing that ends it, and no fragment *)
  val isTargetChar = isIn (table (fn c => c > #" " andalso c < #"\127" andalso c <> #"#"))
  (* What the name of a host is made of: RFC 3986, 3.2.2. A comma may be that of two fields which were joined on the
     way, and is not taken. *)
  val isNameChar =
    isIn (table (fn c => Char.isAlphaNum c orelse Char.contains "-._~%!$&'()*+;=" c))

  fun isToken s = size s > 0 andalso CharVector.all isTokenChar s
  fun isBlank c = c = #" " orelse c = #"\t"
  fun trimmed s = Substring.dropl isBlank (Substring.dropr isBlank s)
  val lower = CharVector.map Char.toLower

  (* What a function of the Basis Library reads, if that is all of the text: `fromString` passes over what follows, and over
     blanks before it, and 1.2.3.4.example.org is no address. *)
  fun whole scan s =
    if s = "" orelse Char.isSpace (String.sub (s, 0)) then NONE
    else
      case scan Substring.getc (Substring.full s) of
        SOME (x, rest) => if Substring.isEmpty rest then SOME x else NONE
      | NONE => NONE
  fun four s = whole NetHostDB.scan s
  fun six s = whole Net6HostDB.scan s

  (* -- hosts: RFC 3986, 3.2 *)

  (* The host, and what stands behind it. An address of IPv6 has colons, and stands in brackets. *)
  fun hostAndPort authority =
    if Substring.isPrefix "[" authority then
      let
        val (front, back) = Substring.splitl (fn c => c <> #"]") authority
      in
        Substring.splitAt (authority, Substring.size front + Int.min (1, Substring.size back))
      end
    else Substring.splitl (fn c => c <> #":") authority

  fun isSix host = String.isPrefix "[" host
  (* without the brackets *)
  fun bare host = if isSix host then String.substring (host, 1, size host - 2) else host

  (* Does each `%` stand before two hexadecimal digits? *)
  fun isEncoded text =
    let
      fun isPair part =
        Substring.size part >= 2
        andalso CharVectorSlice.all Char.isHexDigit (Substring.slice (part, 0, SOME 2))
    in
      List.all isPair (tl (Substring.fields (fn c => c = #"%") (Substring.full text)))
    end

  (* A name, an address of IPv4, or one of IPv6 in brackets. No later version than 6 is in use. *)
  fun isHost host =
    if isSix host then
      size host > 2 andalso String.isSuffix "]" host andalso isSome (six (bare host))
    else
      host <> ""
      andalso CharVector.all isNameChar host
      andalso (not (CharVector.exists (fn c => c = #"%") host) orelse isEncoded host)

  (* A host, and maybe a colon and the digits of a port, which may be none. *)
  fun isHostAndPort text =
    let
      val (host, port) = hostAndPort (Substring.full text)
    in
      isHost (Substring.string host)
      andalso (case Substring.getc port of
                 NONE => true
               | SOME (c, digits) =>
                   c = #":" andalso Substring.isEmpty (Substring.dropl Char.isDigit digits))
    end

  (* Are they the same but for the case of letters? *)
  fun same (a, b) =
    let
      val n = size a
      fun go i =
        i = n
        orelse (let
                  val (c, d) = (String.sub (a, i), String.sub (b, i))
                in
                  c = d orelse Char.toLower c = Char.toLower d
                end
                andalso go (i + 1))
    in
      n = size b andalso go 0
    end

  (* The members of a list with commas, in small letters; RFC 9110, 5.6.1: empty ones are passed over. *)
  fun members value =
    List.filter (fn s => s <> "") (List.map
                                     (lower o Substring.string o trimmed)
                                     (Substring.fields (fn c => c = #",") (Substring.full value)))

  (* A number may be written with zeros in front, as many as there are. *)
  val withoutZeros = Substring.dropl (fn c => c = #"0")

  (* The number that decimal digits write; NONE for other texts and for numbers of more than 15 digits. *)
  fun decimal s =
    let
      val digits = withoutZeros (Substring.full s)
    in
      if s <> "" andalso Substring.size digits <= 15 andalso CharVector.all Char.isDigit s then
        SOME (Substring.foldl (fn (c, n) => 10 * n + Char.ord c - 48) 0 digits)
      else NONE
    end

  (* The same, and for a number of more digits the largest of 15. *)
  fun decimalOrMost s =
    case decimal s of
      SOME n => SOME n
    | NONE =>
        if s <> "" andalso CharVector.all Char.isDigit s then SOME 999999999999999 else NONE

  (* The number of a port: 1 to 65535. *)
  fun portOf digits =
    Option.mapPartial
      (Option.filter (fn n => n > 0 andalso n < 65536))
      (decimal (Substring.string digits))

  fun hexDigit c =
    if Char.isDigit c then Char.ord c - 48 else Char.ord (Char.toLower c) - 87
end
