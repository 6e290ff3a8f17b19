(* ZoneRules': what clocks show in a time zone at a moment, by the data of a file in the form of RFC 9636 (TZif), or by the
   text of a rule in that of POSIX. For Zone', and for TimeZone of Leat's library.

   Differences from the C library: the leap seconds of the zones below right/ do not count. *)

structure ZoneRules' =
struct
  (* what clocks show: seconds to the east of UTC, summer time?, the name *)
  type clock = {east : int, dst : bool, name : string}

  (* a day of the year, and the seconds from its midnight on: 1 to 365, February the 29th not counted; from 0, counted;
     a weekday (0: Sunday) of a week (5: the last) of a month *)
  datatype day = Julian of int | Day of int | Week of int * int * int
  type change = {day : day, seconds : int}

  (* without end: one clock, or two that take turns each year *)
  datatype rule =
      Always of clock
    | Yearly of {std : clock, summer : clock, start : change, finish : change}

  (* moments, and the clock from each on; the one before the first; what holds after the last *)
  type zone = {moments : int vector, clocks : clock vector, first : clock, after : rule}

  val utc : clock = {east = 0, dst = false, name = "UTC"}
  val none : zone =
    {moments = Vector.fromList [], clocks = Vector.fromList [], first = utc, after = Always utc}

  (* -- the calendar, as Date has it: days since 1970 before a year and month (from 0); the year of a day *)

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

  fun isLeap year = year mod 4 = 0 andalso (year mod 100 <> 0 orelse year mod 400 = 0)

  fun yearOf seconds =
    let
      val days = seconds div 86400
      val guess = 1970 + days * 400 div 146097
    in
      if days < daysBefore (guess, 0) then guess - 1
      else if days >= daysBefore (guess + 1, 0) then guess + 1
      else guess
    end

  (* -- rules *)

  (* the seconds since 1970, on the wall, of a change in a year *)
  fun changeAt ({day, seconds} : change, year) =
    let
      val first = daysBefore (year, 0)
      val days =
        case day of
          Julian n => first + n - 1 + (if isLeap year andalso n >= 60 then 1 else 0)
        | Day n => first + n
        | Week (month, week, weekday) =>
            let
              val first = daysBefore (year, month - 1)
              val next = if month = 12 then daysBefore (year + 1, 0) else daysBefore (year, month)
              (* the first day of 1970 was a Thursday *)
              val found = first + (weekday - (first + 4)) mod 7 + 7 * (week - 1)
            in
              if found >= next then found - 7 else found
            end
    in
      days * 86400 + seconds
    end

  (* The month of a change that is at least a month from the ends of a year, so that it is in that year in all zones. *)
  fun month ({day = Week (month, _, _), ...} : change) =
        if 2 < month andalso month < 12 then SOME month else NONE
    | month _ = NONE

  (* the clock at a moment, from when on and up to when; moments before `least` are another's *)
  fun byRule (Always clock, least, _) = (clock, least, valOf Int.maxInt)
    | byRule (Yearly {std, summer, start, finish}, least, t) =
        let
          val year = yearOf (t + #east std)
          fun startOf y = changeAt (start, y) - #east std
          fun finishOf y = changeAt (finish, y) - #east summer
          (* The last change up to t, and the first one behind it, of changes that are given in order; of two at once
             it is the one given last. *)
          fun look (at, clock, (from, last, upTo)) =
            if at > t then (from, last, Int.min (at, upTo))
            else if at >= from then (at, clock, upTo)
            else (from, last, upTo)
          fun lookIn (y, found) = look (finishOf y, std, look (startOf y, summer, found))
          fun lookAround () =
            lookIn (year + 1,
                    lookIn (year, lookIn (year - 1, (valOf Int.minInt, std, valOf Int.maxInt))))
          (* The changes of each year in that order, and what clocks show behind each. *)
          fun inOrder (first, second, behindFirst, behindSecond) =
            let
              val at = first year
            in
              if t < at then (second (year - 1), behindSecond, at)
              else
                let
                  val at' = second year
                in
                  if t < at' then (at, behindFirst, at')
                  else (at', behindSecond, first (year + 1))
                end
            end
          val (from, clock, upTo) =
            case (month start, month finish) of
              (SOME m, SOME m') =>
                if m < m' then inOrder (startOf, finishOf, summer, std)
                else if m > m' then inOrder (finishOf, startOf, std, summer)
                else lookAround ()
            | _ => lookAround ()
        in
          (clock, Int.max (from, least), upTo)
        end

  (* the clock at a moment, from when on and up to when *)
  fun find ({moments, clocks, first, after} : zone, t) =
    let
      val n = Vector.length moments
      (* the first one behind t, from lo on *)
      fun search (lo, hi) =
        if lo = hi then lo
        else
          let
            val mid = (lo + hi) div 2
          in
            if Vector.sub (moments, mid) <= t then search (mid + 1, hi) else search (lo, mid)
          end
      val i = search (0, n)
    in
      if n = 0 then byRule (after, valOf Int.minInt, t)
      else if i = 0 then (first, valOf Int.minInt, Vector.sub (moments, 0))
      else if i = n then byRule (after, Vector.sub (moments, n - 1), t)
      else (Vector.sub (clocks, i - 1), Vector.sub (moments, i - 1), Vector.sub (moments, i))
    end

  (* -- the text of a rule: CET-1CEST,M3.5.0,M10.5.0/3 *)

  exception Bad

  (* Hours: of a zone, as POSIX has it, and of the moment of a change, RFC 9636, 3.3.1. *)
  val (mostOfZone, mostOfChange) = (24, 167)
  (* Seconds, RFC 9636, 3.2: a date has a number for them. *)
  val mostEast = 26 * 3600

  fun ruleOf text =
    let
      val n = String.size text
      fun at i = if i < n then String.sub (text, i) else #"\000"
      fun number i =
        let
          fun go (i, v) =
            if Char.isDigit (at i) then
              if v > 100000 then raise Bad else go (i + 1, 10 * v + (ord (at i) - 48))
            else (v, i)
        in
          if Char.isDigit (at i) then go (i, 0) else raise Bad
        end
      (* hh[:mm[:ss]] with a sign, so many hours at most *)
      fun time (i, most) =
        let
          val (sign, i) = case at i of #"-" => (~1, i + 1) | #"+" => (1, i + 1) | _ => (1, i)
          val (h, i) = number i
          fun part (i, unit, v) =
            if at i = #":" then
              let
                val (m, i) = number (i + 1)
              in
                if m > 59 then raise Bad else (v + unit * m, i, true)
              end
            else (v, i, false)
          val (v, i, more) = part (i, 60, 3600 * h)
          val (v, i, _) = if more then part (i, 1, v) else (v, i, false)
        in
          if h > most then raise Bad else (sign * v, i)
        end
      fun name i =
        if at i = #"<" then
          let
            fun go j = if at j = #">" then j else if j >= n then raise Bad else go (j + 1)
            val j = go (i + 1)
          in
            (String.substring (text, i + 1, j - i - 1), j + 1)
          end
        else
          let
            fun go j = if Char.isAlpha (at j) then go (j + 1) else j
            val j = go i
          in
            if j - i < 3 then raise Bad else (String.substring (text, i, j - i), j)
          end
      fun change i =
        let
          val (day, i) =
            case at i of
              #"J" =>
                let
                  val (d, i) = number (i + 1)
                in
                  if d < 1 orelse d > 365 then raise Bad else (Julian d, i)
                end
            | #"M" =>
                let
                  fun dot i = if at i = #"." then i + 1 else raise Bad
                  val (m, i) = number (i + 1)
                  val (w, i) = number (dot i)
                  val (d, i) = number (dot i)
                in
                  if m < 1 orelse m > 12 orelse w < 1 orelse w > 5 orelse d > 6 then raise Bad
                  else (Week (m, w, d), i)
                end
            | _ => let val (d, i) = number i in if d > 365 then raise Bad else (Day d, i) end
          val (seconds, i) = if at i = #"/" then time (i + 1, mostOfChange) else (7200, i)
        in
          ({day = day, seconds = seconds}, i)
        end
      fun comma i = if at i = #"," then i + 1 else raise Bad
      val (stdName, i) = name 0
      val (west, i) = time (i, mostOfZone)
      val std = {east = ~west, dst = false, name = stdName}
    in
      if i = n then Always std
      else
        let
          val (summerName, i) = name i
          val (west', i) =
            if i = n orelse at i = #"," then (west - 3600, i) else time (i, mostOfZone)
          val (start, finish, i) =
            if i = n then
              ({day = Week (3, 2, 0), seconds = 7200}, {day = Week (11, 1, 0), seconds = 7200}, i)
            else
              let
                val (start, i) = change (comma i)
                val (finish, i) = change (comma i)
              in
                (start, finish, i)
              end
        in
          if i < n then raise Bad
          else
            Yearly {std = std,
                    summer = {east = ~west', dst = true, name = summerName},
                    start = start,
                    finish = finish}
        end
    end

  (* -- a file *)

  fun ofFile text =
    let
      val n = String.size text
      fun byte i = if i < n then ord (String.sub (text, i)) else raise Bad
      fun unsigned (i, 0, v) = v
        | unsigned (i, k, v) = unsigned (i + 1, k - 1, 256 * v + byte i)
      fun count i = unsigned (i, 4, 0)
      (* 4 or 8 bytes with a sign *)
      fun signed (i, size) =
        let
          val high = byte i
        in
          unsigned (i + 1, size - 1, if high >= 128 then high - 256 else high)
        end
      fun header i =
        if i + 44 > n orelse String.substring (text, i, 4) <> "TZif" then raise Bad
        else
          {isutcnt = count (i + 20),
           isstdcnt = count (i + 24),
           leapcnt = count (i + 28),
           timecnt = count (i + 32),
           typecnt = count (i + 36),
           charcnt = count (i + 40)}
      fun ends (i, size, {isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt}) =
        i
        + 44
        + timecnt * (size + 1)
        + typecnt * 6
        + charcnt
        + leapcnt * (size + 4)
        + isstdcnt
        + isutcnt
      val first = header 0
      val isLong = byte 4 >= 50
      val (start, size, counts) =
        if isLong then let val i = ends (0, 4, first) in (i, 8, header i) end else (0, 4, first)
      val {timecnt, typecnt, charcnt, ...} = counts
      val finish = ends (start, size, counts)
      val () = if finish > n orelse typecnt = 0 then raise Bad else ()
      val moments = start + 44
      val indices = moments + timecnt * size
      val types = indices + timecnt
      val names = types + typecnt * 6
      fun name i =
        let
          fun go j = if j < names + charcnt andalso byte j <> 0 then go (j + 1) else j
          val from = names + i
          val to = go from
        in
          if i > charcnt then raise Bad else String.substring (text, from, to - from)
        end
      fun clock i =
        if i >= typecnt orelse abs (signed (types + 6 * i, 4)) >= mostEast then raise Bad
        else
          {east = signed (types + 6 * i, 4),
           dst = byte (types + 6 * i + 4) <> 0,
           name = name (byte (types + 6 * i + 5))}
      val clocks = Vector.tabulate (timecnt, fn i => clock (byte (indices + i)))
      val last = if timecnt = 0 then clock 0 else Vector.sub (clocks, timecnt - 1)
      (* behind the data of 64 bits: a line feed, the rule, a line feed *)
      val after =
        if not isLong then Always last
        else
          let
            fun go j = if j < n andalso byte j <> 10 then go (j + 1) else j
            val rule =
              String.substring (text, finish + 1, go (finish + 1) - finish - 1)
              handle Subscript => ""
          in
            if rule = "" then Always last else ruleOf rule handle Bad => Always last
          end
    in
      {moments = Vector.tabulate (timecnt, fn i => signed (moments + i * size, size)),
       clocks = clocks,
       first = clock 0,
       after = after}
    end

  (* -- back *)

  (* The moment at which clocks show this, and the clock, where `at` gives the clock of a moment. In an hour that comes
     twice it is the first, unless `dst` says that it is the one with, or without, summer time; what is left out is read
     on the clock before the gap. *)
  fun ofWall (at : int -> clock) (wall, dst) =
    let
      val a = at (wall - 86400)
      val b = at (wall + 86400)
      fun same (a : clock, b : clock) = #east a = #east b andalso #dst a = #dst b
      fun shows (clock : clock) =
        let
          val t = wall - #east clock
        in
          if same (at t, clock) then SOME (t, clock) else NONE
        end
    in
      if same (a, b) then
        (case shows a of
           SOME found => found
         | NONE => let val t = wall - #east a in (t, at t) end)
      else
        case (shows a, shows b) of
          (SOME (found as (_, c)), SOME (found' as (_, c'))) =>
            (case dst of
               NONE => found
             | SOME d => if #dst c <> d andalso #dst c' = d then found' else found)
        | (SOME found, NONE) => found
        | (NONE, SOME found) => found
        | (NONE, NONE) => let val t = wall - #east a in (t, at t) end
    end
end
