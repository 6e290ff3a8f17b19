(* HTTPJar': the cookies that a client keeps, and gives back to the servers that have set them; RFC 6265, 5.

   There is no list of the domains below which anybody may have a name (`co.uk`): a cookie for a whole domain goes to all hosts
   of a domain with a dot in its name. So a client with a jar is for servers that do not harm each other. *)

structure HTTPJar' =
struct
  open HTTPText'

  (* domain: of the host alone, or with all hosts below it. until: NONE is as long as the client lives. *)
  type cookie =
    {name : string,
     value : string,
     domain : string,
     isForAll : bool,
     path : string,
     isSecure : bool,
     until : Time.time option}

  (* the oldest first *)
  type t = cookie list SyncVar.mvar

  (* what is asked, and over what *)
  type place = {host : string, path : string, isSecure : bool}

  fun new () : t = SyncVar.mVarInit []

  (* The bounds that RFC 6265 asks for, 6.1: of one cookie, of a domain, and of all. *)
  val largest = 4096
  val mostOfDomain = 50
  val mostOfAll = 3000

  (* The path of a target, and the one that its cookies have unless they say another (5.1.4). *)
  fun pathOf target =
    let
      val path = Substring.string (Substring.takel (fn c => c <> #"?") (Substring.full target))
    in
      if String.isPrefix "/" path then path else "/"
    end
  fun folderOf path =
    case Substring.string (Substring.dropr (fn c => c <> #"/") (Substring.full path)) of
      "/" => "/"
    | "" => "/"
    | folder => String.substring (folder, 0, size folder - 1)

  fun isBelow (path, whole) =
    path = whole
    orelse String.isPrefix whole path
           andalso (String.isSuffix "/" whole orelse String.sub (path, size whole) = #"/")

  fun isNumber host = isSome (four host) orelse String.isPrefix "[" host
  fun isWithin (host, domain) = host = domain orelse String.isSuffix ("." ^ domain) host
  fun isOf (host, {domain, isForAll, ...} : cookie) =
    host = domain orelse isForAll andalso isWithin (host, domain)

  fun lives now ({until, ...} : cookie) =
    case until of SOME time => Time.> (time, now) | NONE => true

  (* A date as servers write it, in any order and with any separators (5.1.1): "Thu, 01-Jan-1970 00:00:00 GMT" is a usual
     one, by which a cookie is taken back. *)
  local
    open Date
    val months =
      [("jan", Jan),
       ("feb", Feb),
       ("mar", Mar),
       ("apr", Apr),
       ("may", May),
       ("jun", Jun),
       ("jul", Jul),
       ("aug", Aug),
       ("sep", Sep),
       ("oct", Oct),
       ("nov", Nov),
       ("dec", Dec)]
    fun isBetween c =
      c = #"\t"
      orelse c >= #" " andalso c <= #"/"
      orelse c >= #";" andalso c <= #"@"
      orelse c >= #"[" andalso c <= #"`"
      orelse c >= #"{" andalso c <= #"~"
    (* of so many digits, behind which may be anything *)
    fun number (least, most) s =
      let
        val digits = Substring.takel Char.isDigit s
        val n = Substring.size digits
      in
        if n >= least andalso n <= most then decimal (Substring.string digits) else NONE
      end
    fun timeOf s =
      case Substring.fields (fn c => c = #":") s of
        hour :: minute :: second :: _ =>
          if CharVector.all Char.isDigit (Substring.string hour ^ Substring.string minute) then
            case List.map (number (1, 2)) [hour, minute, second] of
              [SOME h, SOME m, SOME s] => SOME (h, m, s)
            | _ => NONE
          else NONE
      | _ => NONE
    fun monthOf s =
      Option.map
        #2
        (List.find (fn (name, _) => String.isPrefix name (lower (Substring.string s))) months)
  in
    fun cookieDate text =
      let
        val (time, day, month, year) = (ref NONE, ref NONE, ref NONE, ref NONE)
        (* whether this is what is looked for, and was not found before *)
        fun is (cell, found) =
          not (isSome (!cell)) andalso isSome found andalso (cell := found; true)
        fun note s =
          ignore (is (time, timeOf s)
                  orelse is (day, number (1, 2) s)
                  orelse is (month, monthOf s)
                  orelse is (year, number (2, 4) s))
        val () = List.app note (Substring.tokens isBetween (Substring.full text))
      in
        case (!time, !day, !month, !year) of
          (SOME (h, m, s), SOME day, SOME month, SOME n) =>
            let
              val year = if n < 70 then n + 2000 else if n < 100 then n + 1900 else n
            in
              if day < 1
                 orelse day > 31
                 orelse year < 1601
                 orelse h > 23
                 orelse m > 59
                 orelse s > 59
              then NONE
              else if year < 1970 then SOME Time.zeroTime
              (* the client does not live as long *)
              else if year > 2200
              then NONE
              else
                SOME (Date.toTime (Date.date {year = year,
                                              month = month,
                                              day = day,
                                              hour = h,
                                              minute = m,
                                              second = s,
                                              offset = SOME Time.zeroTime}))
            end
        | _ => NONE
      end
  end

  (* A field Set-Cookie (5.2); NONE where it sets nothing. *)
  fun parsed ({host, path, isSecure} : place, now) text : cookie option =
    let
      fun pair part =
        let
          val (name, value) = Substring.splitl (fn c => c <> #"=") part
        in
          (Substring.string (trimmed name), Substring.string (trimmed (Substring.triml 1 value)))
        end
      val parts = Substring.fields (fn c => c = #";") (Substring.full text)
      val first = hd parts
      val (name, value) = pair first
      val attributes =
        List.map (fn part => let val (n, v) = pair part in (lower n, v) end) (tl parts)
      (* the last one counts *)
      fun attribute wanted =
        List.foldl (fn ((n, v), found) => if n = wanted then SOME v else found) NONE attributes
      fun seconds text =
        let
          val isLess = String.isPrefix "-" text
          val digits = if isLess then String.extract (text, 1, NONE) else text
        in
          if digits <> "" andalso CharVector.all Char.isDigit digits then
            (* more than some years are for ever *)
            if isLess then SOME 0
            else SOME (case decimal digits of SOME n => Int.min (n, 400000000) | NONE => 400000000)
          else NONE
        end
      val until =
        case Option.mapPartial seconds (attribute "max-age") of
          SOME n => SOME (Time.+ (now, Time.fromSeconds (Int.toLarge n)))
        | NONE => Option.mapPartial cookieDate (attribute "expires")
      val wanted =
        case attribute "domain" of
          SOME d => lower (if String.isPrefix "." d then String.extract (d, 1, NONE) else d)
        | NONE => ""
      val domain =
        if wanted = "" orelse wanted = host then
          SOME (host, wanted = host andalso not (isNumber host))
        else if not (isNumber host)
                andalso Char.contains wanted #"."
                andalso String.isSuffix ("." ^ wanted) host
        then SOME (wanted, true)
        else NONE
      val isOnlySecure = isSome (attribute "secure")
      val folder =
        case attribute "path" of
          SOME p => if String.isPrefix "/" p then p else folderOf path
        | NONE => folderOf path
      fun isRight (_, isForAll) =
        if String.isPrefix "__Host-" name then
          isOnlySecure andalso folder = "/" andalso not isForAll
        else not (String.isPrefix "__Secure-" name) orelse isOnlySecure
    in
      case domain of
        SOME (found as (domain, isForAll)) =>
          if Char.contains (Substring.string first) #"="
             andalso name <> ""
             andalso size name + size value <= largest
             andalso (isSecure orelse not isOnlySecure)
             andalso isRight found
          then
            SOME {name = name,
                  value = value,
                  domain = domain,
                  isForAll = isForAll,
                  path = folder,
                  isSecure = isOnlySecure,
                  until = until}
          else NONE
      | NONE => NONE
    end

  fun isSame (a : cookie) (b : cookie) =
    #name a = #name b andalso #domain a = #domain b andalso #path a = #path b

  (* One that was there keeps its turn; one that has no time left takes it away. *)
  fun put now (c : cookie, all) =
    let
      val all =
        if List.exists (isSame c) all then List.map (fn d => if isSame c d then c else d) all
        else all @ [c]
      val all = List.filter (lives now) all
      (* The oldest go; those that are for TLS alone go last, or an answer without TLS could crowd them out, and then set
         others of their names (the draft behind RFC 6265, 5.7). *)
      fun bounded (l, n) =
        let
          fun without (0, l) = l
            | without (_, []) = []
            | without (k, c :: rest) =
                if #isSecure (c : cookie) then c :: without (k, rest) else without (k - 1, rest)
          val l = without (Int.max (0, List.length l - n), l)
        in
          List.drop (l, Int.max (0, List.length l - n))
        end
      val (here, others) = List.partition (fn d => #domain d = #domain c) all
    in
      bounded (if List.length here > mostOfDomain then others @ bounded (here, mostOfDomain)
               else all,
               mostOfAll)
    end

  (* Whether a cookie of an answer that came without TLS would stand in for one that did not. RFC 6265 allows it; the
     draft behind it (5.7) does not, since whoever is on the way could give a session of his own to a client of
     `https:`. *)
  fun isCovering secure (new : cookie) =
    List.exists
      (fn (old : cookie) =>
        #name old = #name new
        andalso isBelow (#path new, #path old)
        andalso (isWithin (#domain new, #domain old) orelse isWithin (#domain old, #domain new)))
      secure

  (* Takes what an answer sets. *)
  fun take (jar : t, place as {isSecure, ...} : place, lines) =
    if List.null lines then ()
    else
      Scope.shield (fn () =>
        let
          val now = Time.now ()
          val all = SyncVar.mTake jar
          val secure = List.filter (fn c => #isSecure (c : cookie) andalso lives now c) all
          val isTaken = if isSecure then fn _ => true else not o isCovering secure
          val new = List.filter isTaken (List.mapPartial (parsed (place, now)) lines)
        in
          SyncVar.mPut (jar, List.foldl (put now) all new)
        end)

  (* The cookies for a request, as the value of its field Cookie: of longer paths first (5.4). *)
  fun line (jar : t, {host, path, isSecure} : place) =
    let
      val now = Time.now ()
      val all = Scope.shield (fn () => SyncVar.mGet jar)
      fun isWanted (c : cookie) =
        isOf (host, c)
        andalso isBelow (path, #path c)
        andalso (isSecure orelse not (#isSecure c))
        andalso lives now c
      fun insert (c : cookie, []) = [c]
        | insert (c, d :: rest) =
            if size (#path c) > size (#path (d : cookie)) then c :: d :: rest
            else d :: insert (c, rest)
    in
      case List.foldl insert [] (List.filter isWanted all) of
        [] => NONE
      | l =>
          SOME (String.concatWith
                  "; "
                  (List.map (fn {name, value, ...} => concat [name, "=", value]) l))
    end
end
