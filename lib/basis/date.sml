(* Date: years, months, days and time of day, in the proleptic Gregorian calendar. *)

signature DATE =
sig
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec
  type date
  exception Date

  (* fields out of their range carry over; the offset is that to the west of UTC, NONE is local time *)
  val date :
    {year : int, month : month, day : int, hour : int, minute : int, second : int, offset : Time.time option} -> date
  val year : date -> int
  val month : date -> month
  val day : date -> int
  val hour : date -> int
  val minute : date -> int
  val second : date -> int
  val weekDay : date -> weekday
  (* from 0 *)
  val yearDay : date -> int
  val offset : date -> Time.time option
  (* summer time? *)
  val isDst : date -> bool option
  val localOffset : unit -> Time.time
  val fromTimeLocal : Time.time -> date
  val fromTimeUniv : Time.time -> date
  val toTime : date -> Time.time
  (* of the fields as they stand, whatever the offsets *)
  val compare : date * date -> order
  (* with % directives as C's strftime has them *)
  val fmt : string -> date -> string
  (* "Wed Mar 08 19:06:45 1995" *)
  val toString : date -> string
  val scan : (char, 'a) StringCvt.reader -> (date, 'a) StringCvt.reader
  val fromString : string -> date option
end

structure Date :> DATE =
struct
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec

  (* month from 0; days and weekdays since 1 January 1970, a Thursday; the offset in seconds to the west *)
  type date =
    {year : int, month : int, day : int, hour : int, minute : int, second : int, days : int, offset : int option,
     isDst : bool option}
  exception Date

  val months = #[Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec]
  val weekdays = #[Mon, Tue, Wed, Thu, Fri, Sat, Sun]
  val monthNames =
    #["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December"]
  val weekdayNames = #["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  fun monthNumber m =
    case m of
      Jan => 0 | Feb => 1 | Mar => 2 | Apr => 3 | May => 4 | Jun => 5 | Jul => 6 | Aug => 7 | Sep => 8 | Oct => 9
    | Nov => 10 | Dec => 11

  (* Days before a year and month, since 1970. Years begin in March, so that the leap day is a year's last. *)
  fun daysBefore (year, month) =
    let
      val y = if month < 2 then year - 1 else year
      val m = (month + 10) mod 12
      val era = y div 400
      val yearOfEra = y - era * 400
      val dayOfYear = (153 * m + 2) div 5
    in
      era * 146097 + yearOfEra * 365 + yearOfEra div 4 - yearOfEra div 100 + dayOfYear - 719468
    end

  (* year, month and day of month of a day since 1970 *)
  fun ofDays days =
    let
      val z = days + 719468
      val era = z div 146097
      val dayOfEra = z - era * 146097
      val yearOfEra = (dayOfEra - dayOfEra div 1460 + dayOfEra div 36524 - dayOfEra div 146096) div 365
      val dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra div 4 - yearOfEra div 100)
      val m = (5 * dayOfYear + 2) div 153
      val month = (m + 2) mod 12
      val year = yearOfEra + era * 400
    in
      (if month < 2 then year + 1 else year, month, dayOfYear - (153 * m + 2) div 5 + 1)
    end

  (* of seconds since 1970 as the clock on the wall shows them *)
  fun ofSeconds (seconds, offset, isDst) : date =
    let
      val days = seconds div 86400
      val rest = seconds mod 86400
      val (year, month, day) = ofDays days
    in
      {year = year, month = month, day = day, hour = rest div 3600, minute = rest mod 3600 div 60, second = rest mod 60,
       days = days, offset = offset, isDst = isDst}
    end

  fun wallSeconds ({days, hour, minute, second, ...} : date) = days * 86400 + hour * 3600 + minute * 60 + second

  local
    val zone = PrimClock'.time_zone
  in
    (* the local zone at that moment: seconds to the east, summer time? *)
    fun zoneAt seconds =
      let val a = Array.array (2, 0)
      in
        ignore (zone (seconds, a));
        (Array.sub (a, 0), Array.sub (a, 1) = 1)
      end
  end

  (* the moment at which the local clock shows this *)
  fun ofLocal wall =
    let val guess = wall - #1 (zoneAt wall)
    in wall - #1 (zoneAt guess) end

  fun nanos t = TimePrim'.toNanos t
  fun time seconds = TimePrim'.ofNanos (seconds * 1000000000) handle Overflow => raise Date

  fun date {year, month, day, hour, minute, second, offset} =
    let
      (* whole days of the offset go to the date *)
      val (offset, extra) =
        case offset of
          NONE => (NONE, 0)
        | SOME t =>
            let val s = Int.quot (nanos t, 1000000000)
            in (SOME (Int.rem (s, 86400)), Int.quot (s, 86400) * 86400) end
      val days = daysBefore (year, monthNumber month) + day - 1
      val wall = days * 86400 + hour * 3600 + minute * 60 + second + extra
    in
      case offset of
        SOME _ => ofSeconds (wall, offset, NONE)
      | NONE => ofSeconds (wall, NONE, SOME (#2 (zoneAt (ofLocal wall))))
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
  fun localOffset () = time (~ (#1 (zoneAt (secondsOf (Time.now ())))))
  fun fromTimeLocal t =
    let
      val s = secondsOf t
      val (east, dst) = zoneAt s
    in
      ofSeconds (s + east, NONE, SOME dst)
    end
  fun fromTimeUniv t = ofSeconds (secondsOf t, SOME 0, SOME false)
  fun toTime (d : date) =
    case #offset d of
      SOME west => time (wallSeconds d + west)
    | NONE => time (ofLocal (wallSeconds d))

  fun compare (a, b) = Int.compare (wallSeconds a, wallSeconds b)

  fun padded (c, n) i = StringCvt.padLeft c n (Int.toString i)
  val two = padded (#"0", 2)

  (* the number of the week that begins with that weekday (0: Monday), where days before the first are in week 0 *)
  fun week (d, first) = (yearDay d + 7 - (weekDayNumber d - first) mod 7) div 7

  fun directive (d : date) c =
    let
      val {year, month, day, hour, minute, second, ...} = d
      val hour12 = if hour mod 12 = 0 then 12 else hour mod 12
    in
      case c of
        #"a" => String.substring (Vector.sub (weekdayNames, weekDayNumber d), 0, 3)
      | #"A" => Vector.sub (weekdayNames, weekDayNumber d)
      | #"b" => String.substring (Vector.sub (monthNames, month), 0, 3)
      | #"B" => Vector.sub (monthNames, month)
      | #"c" => fmt "%a %b %e %H:%M:%S %Y" d
      | #"d" => two day
      | #"e" => padded (#" ", 2) day
      | #"H" => two hour
      | #"I" => two hour12
      | #"j" => padded (#"0", 3) (yearDay d + 1)
      | #"m" => two (month + 1)
      | #"M" => two minute
      | #"p" => if hour < 12 then "AM" else "PM"
      | #"S" => two second
      | #"U" => two (week (d, 6))
      | #"w" => Int.toString ((weekDayNumber d + 1) mod 7)
      | #"W" => two (week (d, 0))
      | #"x" => fmt "%m/%d/%y" d
      | #"X" => fmt "%H:%M:%S" d
      | #"y" => two (year mod 100)
      | #"Y" => Int.toString year
      | #"Z" => (case #offset d of SOME 0 => "UTC" | _ => "")
      | _ => str c
    end
  and fmt format d =
    let
      fun go (#"%" :: c :: rest) = directive d c :: go rest
        | go (c :: rest) = str c :: go rest
        | go [] = []
    in
      concat (go (explode format))
    end
  fun toString d = fmt "%a %b %d %H:%M:%S %Y" d

  fun scan getc src =
    let
      (* exactly n characters *)
      fun take (0, src, l) = SOME (implode (rev l), src)
        | take (n, src, l) =
            case getc src of
              SOME (c, src) => take (n - 1, src, c :: l)
            | NONE => NONE
      fun name (names, src) =
        case take (3, src, []) of
          NONE => NONE
        | SOME (text, src) =>
            Option.map (fn (i, _) => (i, src)) (Vector.findi (fn (_, n) => String.isPrefix text n) names)
      fun char (c, src) =
        case getc src of
          SOME (d, src) => if c = d then SOME src else NONE
        | NONE => NONE
      fun number (n, src) =
        case take (n, src, []) of
          SOME (text, src) => if CharVector.all Char.isDigit text then SOME (valOf (Int.fromString text), src) else NONE
        | NONE => NONE
      (* a day below ten may have a blank in front *)
      fun dayNumber src =
        case getc src of
          SOME (#" ", src) => number (1, src)
        | _ => number (2, src)
      fun bind (SOME x) f = f x
        | bind NONE _ = NONE
    in
      bind (name (weekdayNames, StringCvt.skipWS getc src)) (fn (_, src) =>
      bind (char (#" ", src)) (fn src =>
      bind (name (monthNames, src)) (fn (month, src) =>
      bind (char (#" ", src)) (fn src =>
      bind (dayNumber src) (fn (day, src) =>
      bind (char (#" ", src)) (fn src =>
      bind (number (2, src)) (fn (hour, src) =>
      bind (char (#":", src)) (fn src =>
      bind (number (2, src)) (fn (minute, src) =>
      bind (char (#":", src)) (fn src =>
      bind (number (2, src)) (fn (second, src) =>
      bind (char (#" ", src)) (fn src =>
      bind (number (4, src)) (fn (year, src) =>
        if day < 1 orelse day > 31 orelse hour > 23 orelse minute > 59 orelse second > 61 then NONE
        else
          SOME (date {year = year, month = Vector.sub (months, month), day = day, hour = hour, minute = minute,
                      second = second, offset = NONE}, src))))))))))))))
    end
  fun fromString s = StringCvt.scanString scan s
end
