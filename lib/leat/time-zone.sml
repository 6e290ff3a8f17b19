(* TimeZone: what clocks show in `Europe/Berlin` and elsewhere, at any time, by the system's files of zones (RFC 9636).

     val berlin = valOf (TimeZone.zone "Europe/Berlin")
     val text = TimeZone.toString berlin (Time.now ())                          2024-07-01T14:34:56+02:00
     val time = TimeZone.time berlin (valOf (DateFormat.fromString "%F %R" "2024-07-01 14:34"))

   The local zone is that of Date. *)

signature TIME_ZONE =
sig
  type zone

  (* The zone of that name, from /usr/share/zoneinfo or the folder that the variable TZDIR names; NONE if there is none.
     The file is read at each call: keep the zone. A text with `..`, or that begins with a slash, is no name, so names
     may come from others. *)
  val zone : string -> zone option
  (* The zone of a rule as the variable TZ may have it: `CET-1CEST,M3.5.0,M10.5.0/3`, of which the hours count to the
     west. NONE for a text that is none. *)
  val rule : string -> zone option
  (* UTC. *)
  val utc : zone
  (* What it was made of: `Europe/Berlin`. *)
  val name : zone -> string

  (* How many seconds clocks are to the east of UTC, whether it is summer time, and what people call it: `CEST`. *)
  type clock = {east : int, summer : bool, name : string}
  (* The clocks of a zone at a time. *)
  val clock : zone -> Time.time -> clock

  (* A time as RFC 3339 has it, with the offset of the zone at that time; a fraction has as many digits as are needed.
     *)
  val toString : zone -> Time.time -> string
  (* What clocks show in the zone, as a date that has the zone's offset at that time: for DateFormat and Date. *)
  val date : zone -> Time.time -> Date.date
  (* The time at which clocks in the zone show the year, month, day, hour, minute and second of a date; in which zone
     the date itself is plays no part. Where clocks show it twice it is the first one; where they pass over it, the time
     that the clock before would have shown. *)
  val time : zone -> Date.date -> Time.time
end

structure TimeZone :> TIME_ZONE =
struct
  type zone = {name : string, zone : ZoneRules'.zone}
  type clock = {east : int, summer : bool, name : string}

  val utc = {name = "UTC", zone = ZoneRules'.none}
  fun name ({name, ...} : zone) = name

  (* Files of zones have some kilobytes. *)
  val most = 1000000

  (* The text of an ordinary file. *)
  fun contents path =
    let
      val stat = Posix.FileSys.stat path
      fun read () =
        let
          val stream = BinIO.openIn path
        in
          Scope.finally (fn () => SOME (Byte.bytesToString (BinIO.inputN (stream, most))),
                         fn () => BinIO.closeIn stream)
        end
    in
      if Posix.FileSys.ST.isReg stat andalso Posix.FileSys.ST.size stat <= Position.fromInt most
      then read ()
      else NONE
    end
    handle OS.SysErr _ => NONE
         | IO.Io _ => NONE

  fun zone name =
    let
      fun isPart part =
        part <> ""
        andalso part <> "."
        andalso part <> ".."
        andalso CharVector.all (fn c => Char.isAlphaNum c orelse Char.contains "-+_." c) part
      val folder = Option.getOpt (OS.Process.getEnv "TZDIR", "/usr/share/zoneinfo")
    in
      if List.all isPart (String.fields (fn c => c = #"/") name) then
        Option.map
          (fn text => {name = name, zone = ZoneRules'.ofFile text})
          (contents (concat [folder, "/", name]))
        handle ZoneRules'.Bad => NONE
      else NONE
    end

  fun rule text =
    SOME {name = text,
          zone =
            {moments = Vector.fromList [],
             clocks = Vector.fromList [],
             first = ZoneRules'.utc,
             after = ZoneRules'.ruleOf text}}
    handle ZoneRules'.Bad => NONE

  fun at ({zone, ...} : zone) seconds = #1 (ZoneRules'.find (zone, seconds))

  (* rounded down, also before 1970 *)
  fun secondsOf time = Int.fromLarge (Time.toNanoseconds time) div 1000000000

  fun clock zone time =
    let
      val {east, dst, name} = at zone (secondsOf time)
    in
      {east = east, summer = dst, name = name}
    end

  (* RFC 3339 has offsets of minutes. *)
  fun toString zone time =
    let
      val {east, ...} = at zone (secondsOf time)
      val nanos = Time.toNanoseconds time mod 1000000000
      fun digits (0, n) = 9 - n
        | digits (k, n) =
            if n < 9 andalso nanos mod IntInf.pow (10, n + 1) = 0 then digits (k, n + 1) else 9 - n
    in
      RFC3339.fmt {digits = digits (9, 0), offset = east div 60} time
    end

  (* Fields that are out of their range carry over, so the seconds alone say the date. *)
  fun date zone time =
    let
      val seconds = secondsOf time
      val {east, ...} = at zone seconds
    in
      Date.date {year = 1970,
                 month = Date.Jan,
                 day = 1,
                 hour = 0,
                 minute = 0,
                 second = seconds + east,
                 offset = SOME (Time.fromSeconds (Int.toLarge (~ east)))}
    end

  fun time zone date =
    let
      val shown =
        Date.date {year = Date.year date,
                   month = Date.month date,
                   day = Date.day date,
                   hour = Date.hour date,
                   minute = Date.minute date,
                   second = Date.second date,
                   offset = SOME Time.zeroTime}
      val (t, _) = ZoneRules'.ofWall (at zone) (secondsOf (Date.toTime shown), NONE)
    in
      Time.fromSeconds (Int.toLarge t)
    end
end
