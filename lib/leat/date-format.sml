(* DateFormat: dates as texts by a format, and back.

     DateFormat.fmt "%F %T" date                              2024-02-29 12:34:56
     DateFormat.fromString "%d.%m.%Y %H:%M" "29.2.2024 12:34"
     DateFormat.fromString "%a, %d %b %y %I:%M %p %z" "Thu, 29 Feb 24 00:34 PM +0100" *)

signature DATE_FORMAT =
sig
  exception Format of string
  (* A format that is none: the directive that is not known, as `%Q`. *)

  val fmt : string -> Date.date -> string
  (* As Date.fmt, with these directives besides: %F %Y-%m-%d, %T %H:%M:%S, %R %H:%M, %D %m/%d/%y, %h %b, %r %I:%M:%S %p,
     %e the day of the month with a blank for a zero, %n a newline, %t a tab, %z the zone's distance to the east of UTC, as
     +0100, and %s the seconds since 1970. Another one raises Format. *)
  val scan : string -> (char, 'a) StringCvt.reader -> (Date.date, 'a) StringCvt.reader
  (* The date that a text says in a format. White space of the format stands for any, also for none; other characters for
     themselves, and these directives for what `fmt` writes: %Y %y %m %d %e %H %I %M %S %p %j %b %h %B %a %A %z %Z %s %n %t
     %F %T %R %D %r %%. Numbers may have fewer digits. Names are English, in any case; %b and %B, %a and %A both take the short
     and the long one; a day of the week is not checked. %y is one of 1969 to 2068. %z is +0100, +01:00 or Z, %Z is UTC, GMT
     or Z. What is not said is that of 1 January 1970, 00:00:00, in local time. NONE for a text of another form, and for a
     day or time that there is not, as 30 February. Raises Format when the format is given. *)
  val fromString : string -> string -> Date.date option
  (* The same; nothing else may stand in the text. *)
end

structure DateFormat :> DATE_FORMAT =
struct
  exception Format of string

  datatype item = Blanks | Char of char | Directive of char

  (* What a directive is short for. *)
  fun long #"F" = SOME "%Y-%m-%d"
    | long #"T" = SOME "%H:%M:%S"
    | long #"R" = SOME "%H:%M"
    | long #"D" = SOME "%m/%d/%y"
    | long #"h" = SOME "%b"
    | long #"r" = SOME "%I:%M:%S %p"
    | long #"n" = SOME "\n"
    | long #"t" = SOME "\t"
    | long _ = NONE

  (* The items of a format whose directives are among those. *)
  fun items known format =
    let
      (* Those of a text from i on, and then the rest. *)
      fun go (text, i, rest) =
        if i = size text then rest ()
        else
          case String.sub (text, i) of
            #"%" => if i + 1 = size text then raise Format "%" else percent (text, i, rest)
          | c => (if Char.isSpace c then Blanks else Char c) :: go (text, i + 1, rest)
      and percent (text, i, rest) =
        let
          fun more () = go (text, i + 2, rest)
        in
          case String.sub (text, i + 1) of
            #"%" => Char #"%" :: more ()
          | c =>
              case long c of
                SOME text => go (text, 0, more)
              | NONE =>
                  if Char.contains known c then Directive c :: more ()
                  else raise Format ("%" ^ str c)
        end
    in
      go (format, 0, fn () => [])
    end

  (* -- writing *)

  (* How far the clock that shows the date is to the east, in minutes. *)
  fun east date =
    case Date.offset date of
      SOME west => ~ (Int.fromLarge (Time.toSeconds west) div 60)
    | NONE =>
        let
          val shown =
            Date.date {year = Date.year date,
                       month = Date.month date,
                       day = Date.day date,
                       hour = Date.hour date,
                       minute = Date.minute date,
                       second = Date.second date,
                       offset = SOME Time.zeroTime}
        in
          Int.fromLarge (Time.toSeconds (Time.- (Date.toTime shown, Date.toTime date))) div 60
        end

  fun zone date =
    let
      val minutes = east date
      val size = Int.abs minutes
    in
      concat [if minutes < 0 then "-" else "+", Civil'.two (size div 60), Civil'.two (size mod 60)]
    end

  fun day date = StringCvt.padLeft #" " 2 (Int.toString (Date.day date))

  fun seconds date =
    String.map (fn #"~" => #"-" | c => c) (LargeInt.toString (Time.toSeconds (Date.toTime date)))

  (* A format for Date.fmt, or a function that gives one. *)
  datatype piece = Same of string | Made of Date.date -> string

  fun same ("", rest) = rest
    | same (text, Same more :: rest) = Same (text ^ more) :: rest
    | same (text, rest) = Same text :: rest

  fun fmt format =
    let
      val n = size format
      (* The pieces from `start` on; what stands before i is kept. *)
      fun go (start, i) =
        if i = n then same (String.extract (format, start, NONE), [])
        else if String.sub (format, i) <> #"%" then go (start, i + 1)
        else if i + 1 = n then raise Format "%"
        else
          let
            val c = String.sub (format, i + 1)
            fun rest () = go (i + 2, i + 2)
            fun kept rest = same (String.substring (format, start, i - start), rest)
          in
            case (long c, c) of
              (SOME text, _) => kept (same (text, rest ()))
            | (NONE, #"e") => kept (Made day :: rest ())
            | (NONE, #"z") => kept (Made zone :: rest ())
            | (NONE, #"s") => kept (Made seconds :: rest ())
            | _ =>
                if Char.contains "aAbBcdHIjmMpSUwWxXyYZ%" c then go (start, i + 2)
                else raise Format ("%" ^ str c)
          end
    in
      case go (0, 0) of
        [] => (fn _ => "")
      | [Same text] => Date.fmt text
      | pieces =>
          fn date =>
            Date.fmt (concat (map (fn Same text => text | Made text => text date) pieces)) date
    end

  (* -- reading *)

  val monthsOfYear =
    [Date.Jan, Date.Feb, Date.Mar, Date.Apr, Date.May, Date.Jun, Date.Jul, Date.Aug, Date.Sep,
     Date.Oct, Date.Nov, Date.Dec]

  (* Names, and behind them their first three letters, each with its number from 1: "march" begins with "mar". *)
  fun numbered names =
    let
      val long = ListPair.zip (names, List.tabulate (List.length names, fn i => i + 1))
    in
      long @ map (fn (name, n) => (String.substring (name, 0, 3), n)) long
    end
  val months =
    numbered ["january", "february", "march", "april", "may", "june", "july", "august", "september",
              "october", "november", "december"]
  val days =
    numbered ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  exception Other

  fun digits getc (src, least, most) =
    let
      fun go (n, count, src) =
        if count = most then (n, src)
        else
          case getc src of
            SOME (c, rest) =>
              if Char.isDigit c then go (10 * n + Char.ord c - 48, count + 1, rest)
              else ended (n, count, src)
          | NONE => ended (n, count, src)
      and ended (n, count, src) = if count < least then raise Other else (n, src)
    in
      go (0, 0, src)
    end

  (* What is behind a word, in any case, if it stands there. *)
  fun word getc (text, src) =
    let
      fun go (i, src) =
        if i = size text then SOME src
        else
          case getc src of
            SOME (c, rest) =>
              if Char.toLower c = String.sub (text, i) then go (i + 1, rest) else NONE
          | NONE => NONE
    in
      go (0, src)
    end

  (* Of these words those that stand there: the value of each, and what is behind it. *)
  fun standing getc (words, src) =
    List.mapPartial
      (fn (text, value) => Option.map (fn src => (value, src)) (word getc (text, src)))
      words

  fun within (low, high) (n, src) = if low <= n andalso n <= high then (n, src) else raise Other

  fun zoneOf getc src =
    case getc src of
      SOME (#"Z", rest) => (0, rest)
    | SOME (#"z", rest) => (0, rest)
    | SOME (sign, rest) =>
        let
          val () = if sign = #"+" orelse sign = #"-" then () else raise Other
          val (hours, rest) = within (0, 23) (digits getc (rest, 2, 2))
          val rest = case getc rest of SOME (#":", rest) => rest | _ => rest
          val (minutes, rest) = within (0, 59) (digits getc (rest, 2, 2))
          val east = 3600 * hours + 60 * minutes
        in
          (if sign = #"+" then ~ east else east, rest)
        end
    | NONE => raise Other

  fun read getc (items, src) =
    let
      val year = ref 1970
      and month = ref 1
      and day = ref 1
      and ofYear = ref NONE
      val hour = ref 0
      and ofHalf = ref NONE
      and isLate = ref false
      val minute = ref 0
      and second = ref 0
      and west = ref NONE
      and seconds = ref NONE
      fun put (place, (n, src)) = (place := n; src)
      fun number (low, high, most) src = within (low, high) (digits getc (src, 1, most))
      (* The first word that stands there. *)
      fun oneOf (words, src) =
        case standing getc (words, src) of first :: _ => first | [] => raise Other
      fun directive (c, src) =
        case c of
          #"Y" => put (year, number (0, 9999, 4) src)
        | #"y" =>
            let
              val (n, src) = number (0, 99, 2) src
            in
              put (year, (n + (if n < 69 then 2000 else 1900), src))
            end
        | #"m" => put (month, number (1, 12, 2) src)
        | #"d" => put (day, number (1, 31, 2) src)
        | #"e" => put (day, number (1, 31, 2) (StringCvt.skipWS getc src))
        | #"j" => let val (n, src) = number (1, 366, 3) src in put (ofYear, (SOME n, src)) end
        | #"H" => put (hour, number (0, 23, 2) src)
        | #"I" => let val (n, src) = number (1, 12, 2) src in put (ofHalf, (SOME n, src)) end
        | #"M" => put (minute, number (0, 59, 2) src)
        | #"S" => put (second, number (0, 60, 2) src)
        | #"p" => put (isLate, oneOf ([("am", false), ("pm", true)], src))
        | #"z" => let val (n, src) = zoneOf getc src in put (west, (SOME n, src)) end
        | #"Z" =>
            put (west, oneOf ([("utc", SOME 0), ("gmt", SOME 0), ("z", SOME 0)], src))
        (* seconds since 1970 *)
        | _ =>
            let
              val (negative, src) =
                case getc src of SOME (#"-", src) => (true, src) | _ => (false, src)
              val (n, src) = digits getc (src, 1, 11)
            in
              put (seconds, (SOME (Int.toLarge (if negative then ~ n else n)), src))
            end
      (* Where a directive may end: behind the long name, or behind the short one, as "%aday" writes "Monday". *)
      fun ends (c, src) =
        let
          fun names (words, take) =
            case standing getc (words, src) of
              [] => raise Other
            | found as (n, _) :: _ => (take n; map #2 found)
        in
          if c = #"b" orelse c = #"B" then names (months, fn n => month := n)
          else if c = #"a" orelse c = #"A" then names (days, ignore)
          else [directive (c, src)]
        end
      fun go ([], src) = src
        | go (Blanks :: rest, src) = go (rest, StringCvt.skipWS getc src)
        | go (Char c :: rest, src) =
            (case getc src of
               SOME (d, src) => if c = d then go (rest, src) else raise Other
             | NONE => raise Other)
        | go (Directive c :: rest, src) = firstOf (rest, ends (c, src))
      (* From the first of these places where all the rest fits. *)
      and firstOf (_, []) = raise Other
        | firstOf (items, [src]) = go (items, src)
        | firstOf (items, src :: others) =
            go (items, src)
            handle Other => firstOf (items, others)
      val src = go (items, src)
      fun date (month, day) =
        Date.date {year = !year,
                   month = List.nth (monthsOfYear, month - 1),
                   day = day,
                   hour =
                     (case !ofHalf of
                        NONE => !hour
                      | SOME n => n mod 12 + (if !isLate then 12 else 0)),
                   minute = !minute,
                   second = !second,
                   offset = Option.map (fn n => Time.fromSeconds (Int.toLarge n)) (!west)}
      val found =
        case (!seconds, !ofYear) of
          (SOME n, _) => Date.fromTimeUniv (Time.fromSeconds n)
        | (NONE, SOME n) =>
            if n = 366 andalso not (Civil'.isLeap (!year)) then raise Other else date (1, n)
        | (NONE, NONE) =>
            if !day > Civil'.monthDays (!year, !month) then raise Other else date (!month, !day)
    in
      SOME (found, src)
    end
    handle Other => NONE
         | Time.Time => NONE
         | Date.Date => NONE

  val known = "YymdejHIMSpbBaAzZs"
  fun scan format =
    let val items = items known format in fn getc => fn src => read getc (items, src) end
  fun fromString format =
    let
      val items = items known format
    in
      fn text =>
        let
          val n = size text
          fun getc i = if i < n then SOME (String.sub (text, i), i + 1) else NONE
        in
          case read getc (items, 0) of
            SOME (date, i) => if i = n then SOME date else NONE
          | NONE => NONE
        end
    end
end
