(* Date: years, months, days and time of day, in the proleptic Gregorian calendar.

   A local date knows which clock it was made for: Date.toTime (Date.fromTimeLocal t) is t in the hour that comes twice, too. *)

signature DATE =
sig
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec
  type date
  exception Date

  (* Fields out of their range carry over; the offset is that to the west of UTC, NONE is local time. Of an hour that comes
     twice, when clocks are set back, it is the first; what is left out, when they are set forward, is read on the clock
     before: half past two becomes half past three. *)
  val date :
    {year : int,
     month : month,
     day : int,
     hour : int,
     minute : int,
     second : int,
     offset : Time.time option}
    -> date
  (* The year, as 1995. *)
  val year : date -> int
  (* The month. *)
  val month : date -> month
  (* The day of the month, from 1. *)
  val day : date -> int
  (* The hour, 0 to 23. *)
  val hour : date -> int
  (* The minute, 0 to 59. *)
  val minute : date -> int
  (* The second, 0 to 59. *)
  val second : date -> int
  (* The day of the week. *)
  val weekDay : date -> weekday
  (* The day of the year, from 0. *)
  val yearDay : date -> int
  (* How far the zone is to the west of UTC, less than a day; NONE of local time. *)
  val offset : date -> Time.time option
  (* SOME of whether it is summer time; NONE when that is not known. *)
  val isDst : date -> bool option
  (* How far local time is to the west of UTC now. *)
  val localOffset : unit -> Time.time
  (* The date of a time, in the local zone. *)
  val fromTimeLocal : Time.time -> date
  (* The date of a time in UTC: its offset is zero. *)
  val fromTimeUniv : Time.time -> date
  (* The time of the date. Raises Date when it does not fit. *)
  val toTime : date -> Time.time
  (* The order of the fields as they stand, from the year on, whatever the offsets. *)
  val compare : date * date -> order
  (* With these of the directives of C's strftime: %a %A %b %B %c %d %H %I %j %m %M %p %S %U %w %W %x %X %y %Y %Z %%; of any
     other character, as in %e, it is the character (`DateFormat` of $(SML_LIB)/leat/instant.mlb has more, and reads
     dates). %Z is the name of the zone, as CET: of local dates, and UTC where the offset is 0. *)
  val fmt : string -> date -> string
  (* The date in 24 characters, as `Wed Mar 08 19:06:45 1995`. *)
  val toString : date -> string
  (* Reads a date in the form of `toString`, after white space; NONE when there is none. *)
  val scan : (char, 'a) StringCvt.reader -> (date, 'a) StringCvt.reader
  (* Reads a date in the form of `toString` from the start, after white space; NONE when there is none. *)
  val fromString : string -> date option
end

structure Date :> DATE =
struct
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec

  (* month from 0; days and weekdays since 1 January 1970, a Thursday; the offset in seconds to the west; how far to the east
     the clock is that shows these fields *)
  type date =
    {year : int,
     month : int,
     day : int,
     hour : int,
     minute : int,
     second : int,
     days : int,
     offset : int option,
     isDst : bool option,
     east : int}
  exception Date

  val months = #[Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec]
  val weekdays = #[Mon, Tue, Wed, Thu, Fri, Sat, Sun]
  val monthNames =
    #["January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December"]
  val weekdayNames = #["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  fun monthNumber m =
    case m of
      Jan => 0
    | Feb => 1
    | Mar => 2
    | Apr => 3
    | May => 4
    | Jun => 5
    | Jul => 6
    | Aug => 7
    | Sep => 8
    | Oct => 9
    | Nov => 10
    | Dec => 11

  (* Days before a year and month, since 1970. Years begin in March, so that the leap day is a year's last. *)
  val daysBefore = Zone'.daysBefore

  (* year, month and day of month of a day since 1970 *)
  fun ofDays days =
    let
      val z = days + 719468
      val era = z div 146097
      val dayOfEra = z - era * 146097
      val yearOfEra =
        (dayOfEra - dayOfEra div 1460 + dayOfEra div 36524 - dayOfEra div 146096) div 365
      val dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra div 4 - yearOfEra div 100)
      val m = (5 * dayOfYear + 2) div 153
      val month = (m + 2) mod 12
      val year = yearOfEra + era * 400
    in
      (if month < 2 then year + 1 else year, month, dayOfYear - (153 * m + 2) div 5 + 1)
    end

  (* of seconds since 1970 as the clock on the wall shows them *)
  fun ofSeconds (seconds, offset, isDst, east) : date =
    let
      val days = seconds div 86400
      val rest = seconds - days * 86400
      val (year, month, day) = ofDays days
      val minutes = Int.quot (rest, 60)
    in
      {year = year,
       month = month,
       day = day,
       hour = Int.quot (minutes, 60),
       minute = Int.rem (minutes, 60),
       second = rest - minutes * 60,
       days = days,
       offset = offset,
       isDst = isDst,
       east = east}
    end

  fun wallSeconds ({days, hour, minute, second, ...} : date) =
    days * 86400 + hour * 3600 + minute * 60 + second

  (* what the local clock shows at a moment *)
  fun localAt seconds =
    let
      val {east, dst, ...} = Zone'.at seconds
    in
      ofSeconds (seconds + east, NONE, SOME dst, east)
    end
  (* of what it shows, in an hour that comes twice with or without summer time *)
  fun ofWall (wall, dst) =
    let
      val (t, {east, dst, ...}) = Zone'.ofWall (wall, dst)
    in
      ofSeconds (t + east, NONE, SOME dst, east)
    end

  fun nanos t = TimePrim'.toNanos t
  fun time seconds = TimePrim'.ofNanos (seconds * 1000000000) handle Overflow => raise Date

  fun date {year, month, day, hour, minute, second, offset} =
    let
      (* whole days of the offset go to the date *)
      val (offset, extra) =
        case offset of
          NONE => (NONE, 0)
        | SOME t =>
            let
              val s = Int.quot (nanos t, 1000000000)
            in
              (SOME (Int.rem (s, 86400)), Int.quot (s, 86400) * 86400)
            end
      val number = monthNumber month
      val days = daysBefore (year, number) + day - 1
      val wall = days * 86400 + hour * 3600 + minute * 60 + second + extra
      (* A clock that shows it shows it so. *)
      val isPlain =
        1 <= day
        andalso day <= (if number = 1 then 28 else 30)
        andalso 0 <= hour
        andalso hour < 24
        andalso 0 <= minute
        andalso minute < 60
        andalso 0 <= second
        andalso second < 60
        andalso extra = 0
      fun made (shown, isDst, east) : date =
        if isPlain andalso shown = wall then
          {year = year,
           month = number,
           day = day,
           hour = hour,
           minute = minute,
           second = second,
           days = days,
           offset = offset,
           isDst = isDst,
           east = east}
        else ofSeconds (shown, offset, isDst, east)
    in
      case offset of
        SOME west => made (wall, NONE, ~west)
      | NONE =>
          let
            val (t, {east, dst, ...}) = Zone'.ofWall (wall, NONE)
          in
            made (t + east, SOME dst, east)
          end
    end
    handle Overflow => raise Date

  fun year (d : date) = #year d
  fun month (d : date) = Vector.sub (months, #month d)
  fun day (d : date) = #day d
  fun hour (d : date) = #hour d
  fun minute (d : date) = #minute d
  fun second (d : date) = #second d
  (* from Monday *)
  fun weekDayNumber (d : date) = (#days d + 3) mod 7
  fun weekDay d = Vector.sub (weekdays, weekDayNumber d)
  fun yearDay (d : date) = #days d - daysBefore (#year d, 0)
  fun offset (d : date) = Option.map time (#offset d)
  fun isDst (d : date) = #isDst d

  fun secondsOf t = nanos t div 1000000000
  fun localOffset () = time (~ (#east (Zone'.at (secondsOf (Time.now ())))))
  fun fromTimeLocal t = localAt (secondsOf t)
  fun fromTimeUniv t = ofSeconds (secondsOf t, SOME 0, SOME false, 0)
  fun toTime d = time (wallSeconds d - #east d) handle Overflow => raise Date

  fun compare (a, b) = Int.compare (wallSeconds a, wallSeconds b)

  (* the number of the week that begins with that weekday (0: Monday), where days before the first are in week 0 *)
  fun week (d, first) = (yearDay d + 7 - (weekDayNumber d - first) mod 7) div 7

  (* -- text: written into an array of characters, from a place on; each function gives the place behind *)

  type text = char array
  val put = PrimArrays'.array_update_unsafe : text * int * char -> unit
  fun digit i = PrimWords'.bits (i + 48) : char

  fun putString (a : text, at, s) =
    let
      val n = String.size s
      fun go i =
        if i = n then at + n
        else (put (a, at + i, PrimStrings'.string_sub_unsafe (s, i)); go (i + 1))
    in
      go 0
    end
  fun putChar (a, at, c) = (put (a, at, c); at + 1)
  fun put2 (a, at, n) =
    (put (a, at, digit (Int.quot (n, 10))); put (a, at + 1, digit (Int.rem (n, 10))); at + 2)
  (* a blank for the zero in front *)
  fun putDay (a, at, n) =
    if n < 10 then (put (a, at, #" "); put (a, at + 1, digit n); at + 2) else put2 (a, at, n)
  fun putYear (a, at, n) =
    if n >= 1000 andalso n <= 9999 then put2 (a, put2 (a, at, Int.quot (n, 100)), Int.rem (n, 100))
    else putString (a, at, Int.toString n)
  fun putShort (a, at, name) =
    (put (a, at, PrimStrings'.string_sub_unsafe (name, 0));
     put (a, at + 1, PrimStrings'.string_sub_unsafe (name, 1));
     put (a, at + 2, PrimStrings'.string_sub_unsafe (name, 2));
     at + 3)

  fun zoneName (d : date) =
    case #offset d of
      NONE => #name (Zone'.at (wallSeconds d - #east d))
    | SOME 0 => "UTC"
    | SOME _ => ""

  (* the most characters that a directive gives; `zone` gives the name for %Z *)
  fun room (zone, c) =
    case c of
      #"c" => 44
    | #"Z" => String.size (zone ())
    | _ => 24

  fun directive (a, at, d : date, zone, c) =
    let
      val {year, month, day, hour, minute, second, ...} = d
      fun clock at =
        put2 (a, putChar (a, put2 (a, putChar (a, put2 (a, at, hour), #":"), minute), #":"), second)
      fun weekDayName () = Vector.sub (weekdayNames, weekDayNumber d)
      fun monthName () = Vector.sub (monthNames, month)
    in
      case c of
        #"a" => putShort (a, at, weekDayName ())
      | #"A" => putString (a, at, weekDayName ())
      | #"b" => putShort (a, at, monthName ())
      | #"B" => putString (a, at, monthName ())
      | #"c" =>
          let
            val at = putChar (a, putShort (a, at, weekDayName ()), #" ")
            val at = putChar (a, putShort (a, at, monthName ()), #" ")
            val at = putChar (a, putDay (a, at, day), #" ")
          in
            putYear (a, putChar (a, clock at, #" "), year)
          end
      | #"d" => put2 (a, at, day)
      | #"H" => put2 (a, at, hour)
      | #"I" => put2 (a, at, if hour mod 12 = 0 then 12 else hour mod 12)
      | #"j" =>
          let
            val n = yearDay d + 1
          in
            put2 (a, putChar (a, at, digit (Int.quot (n, 100))), Int.rem (n, 100))
          end
      | #"m" => put2 (a, at, month + 1)
      | #"M" => put2 (a, at, minute)
      | #"p" => putString (a, at, if hour < 12 then "AM" else "PM")
      | #"S" => put2 (a, at, second)
      | #"U" => put2 (a, at, week (d, 6))
      | #"w" => putChar (a, at, digit ((weekDayNumber d + 1) mod 7))
      | #"W" => put2 (a, at, week (d, 0))
      | #"x" =>
          put2 (a,
                putChar (a, put2 (a, putChar (a, put2 (a, at, month + 1), #"/"), day), #"/"),
                year mod 100)
      | #"X" => clock at
      | #"y" => put2 (a, at, year mod 100)
      | #"Y" => putYear (a, at, year)
      | #"Z" => putString (a, at, zone ())
      | c => putChar (a, at, c)
    end

  fun fmt format d =
    let
      val n = String.size format
      val char = PrimStrings'.string_sub_unsafe
      (* Asked for once: the name may be another one when it is written than when its room was counted. Another thread
         may set TZ, and the zone's file may be replaced. *)
      val name = ref NONE
      fun zone () =
        case !name of
          SOME s => s
        | NONE => let val s = zoneName d in name := SOME s; s end
      fun size (i, m) =
        if i >= n then m
        else if char (format, i) = #"%" andalso i + 1 < n then
          size (i + 2, m + room (zone, char (format, i + 1)))
        else size (i + 1, m + 1)
      val a = PrimArrays'.array_new_uninit (size (0, 0)) : text
      fun go (i, at) =
        if i >= n then at
        else
          let
            val c = char (format, i)
          in
            if c = #"%" andalso i + 1 < n then
              go (i + 2, directive (a, at, d, zone, char (format, i + 1)))
            else go (i + 1, putChar (a, at, c))
          end
      val length = go (0, 0)
      val result = PrimArrays'.array_new_uninit length : text
    in
      PrimArrays'.array_copy_unsafe (a, 0, result, 0, length);
      PrimArrays'.cast result : string
    end
  fun toString d = fmt "%a %b %d %H:%M:%S %Y" d

  (* -- "Wed Mar 08 19:06:45 1995", always 24 characters, from a place on *)

  val length = 24
  fun parse (a : text, at) =
    let
      fun char i = PrimArrays'.array_sub_unsafe (a, at + i)
      fun isDigit i = Char.isDigit (char i)
      fun value i = Char.ord (char i) - 48
      fun two i = 10 * value i + value (i + 1)
      fun named (names, i) =
        let
          fun begins name =
            PrimStrings'.string_sub_unsafe (name, 0) = char i
            andalso PrimStrings'.string_sub_unsafe (name, 1) = char (i + 1)
            andalso PrimStrings'.string_sub_unsafe (name, 2) = char (i + 2)
          fun go k =
            if k = Vector.length names then ~1
            else if begins (Vector.sub (names, k)) then k
            else go (k + 1)
        in
          go 0
        end
      fun areDigits (i, n) = n = 0 orelse (isDigit i andalso areDigits (i + 1, n - 1))
      val month = named (monthNames, 4)
      (* a day below ten may have a blank in front *)
      val day = if char 8 = #" " then value 9 else two 8
    in
      if month >= 0
         andalso named (weekdayNames, 0) >= 0
         andalso char 3 = #" "
         andalso char 7 = #" "
         andalso char 10 = #" "
         andalso char 13 = #":"
         andalso char 16 = #":"
         andalso char 19 = #" "
         andalso (char 8 = #" " orelse isDigit 8)
         andalso isDigit 9
         andalso areDigits (11, 2)
         andalso areDigits (14, 2)
         andalso areDigits (17, 2)
         andalso areDigits (20, 4)
         andalso day >= 1
         andalso day <= 31
         andalso two 11 <= 23
         andalso two 14 <= 59
         andalso two 17 <= 61
      then
        let
          val days = daysBefore (100 * two 20 + two 22, month) + day - 1
        in
          SOME (ofWall (days * 86400 + two 11 * 3600 + two 14 * 60 + two 17, NONE))
        end
      else NONE
    end

  fun scan getc src =
    let
      val a = PrimArrays'.array_new_uninit length : text
      fun take (i, src) =
        if i = length then Option.map (fn d => (d, src)) (parse (a, 0))
        else
          case getc src of
            SOME (c, src) => (put (a, i, c); take (i + 1, src))
          | NONE => NONE
    in
      take (0, StringCvt.skipWS getc src)
    end
  fun fromString s =
    let
      val n = String.size s
      fun start i =
        if i < n andalso Char.isSpace (PrimStrings'.string_sub_unsafe (s, i)) then start (i + 1)
        else i
      val i = start 0
    in
      if n - i < length then NONE else parse (PrimArrays'.cast s : text, i)
    end
end
