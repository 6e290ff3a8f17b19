(* RFC3339 and HTTPDate: times as the texts that the Internet's protocols have, and back.

   RFC 3339:  2024-02-29T12:34:56.789Z   2024-02-29t12:34:56+01:00
   RFC 9110:  Sun, 06 Nov 1994 08:49:37 GMT, and the two older forms, which are only read:
              Sunday, 06-Nov-94 08:49:37 GMT   Sun Nov  6 08:49:37 1994

   A time is one that Time.time has, from the year 1677 to 2262. A second 60 is the first one of the next minute. Days
   are counted by the Gregorian calendar; zones of the system play no part. *)

signature RFC3339 =
sig
  val toString : Time.time -> string
  (* In UTC, with as many digits of the second's fraction as are needed. *)
  val fmt : {digits : int, offset : int} -> Time.time -> string
  (* With so many digits of the fraction, 0 to 9, which is cut off; the offset of the place is in minutes, to the east.
     Raises Size for other digits, Date for an offset of a day or more. *)
  val scan : (char, 'a) StringCvt.reader -> (Time.time, 'a) StringCvt.reader
  (* A date, `T`, `t` or a blank, a time, and `Z`, `z` or an offset. *)
  val fromString : string -> Time.time option
  (* The same; nothing else may stand in the text. NONE, too, for a time that Time.time does not have. *)
end

signature HTTP_DATE =
sig
  val toString : Time.time -> string
  (* A date of HTTP; the second's fraction is cut off. *)
  val fromString : string -> Time.time option
  (* A date in any of the three forms; a year of two digits is one of 1970 to 2069. The day of the week is not checked.
     NONE, too, for a time that Time.time does not have. *)
end

(* Seconds since 1970 and what a calendar shows. *)
structure Civil' =
struct
  (* The days from 1970-01-01 to a date, and back. The year begins in March, so a leap day is its last. *)
  fun days (year, month, day) =
    let
      val y = if month <= 2 then year - 1 else year
      val era = y div 400
      val ofEra = y - 400 * era
      val ofYear = (153 * (if month > 2 then month - 3 else month + 9) + 2) div 5 + day - 1
    in
      146097 * era + 365 * ofEra + ofEra div 4 - ofEra div 100 + ofYear - 719468
    end

  fun date days =
    let
      val z = days + 719468
      val era = z div 146097
      val ofEra = z - 146097 * era
      val year = (ofEra - ofEra div 1460 + ofEra div 36524 - ofEra div 146096) div 365
      val ofYear = ofEra - (365 * year + year div 4 - year div 100)
      val m = (5 * ofYear + 2) div 153
      val month = if m < 10 then m + 3 else m - 9
    in
      (year + 400 * era + (if month <= 2 then 1 else 0), month, ofYear - (153 * m + 2) div 5 + 1)
    end

  fun isLeap year = year mod 4 = 0 andalso (year mod 100 <> 0 orelse year mod 400 = 0)

  fun monthDays (year, month) =
    case month of
      2 => if isLeap year then 29 else 28
    | 4 => 30
    | 6 => 30
    | 9 => 30
    | 11 => 30
    | _ => 31

  (* The seconds, if there is such a day and time. *)
  fun seconds {year, month, day, hour, minute, second} =
    if 1 <= month
       andalso month <= 12
       andalso 1 <= day
       andalso day <= monthDays (year, month)
       andalso hour <= 23
       andalso minute <= 59
       andalso second <= 60
    then SOME (86400 * days (year, month, day) + 3600 * hour + 60 * minute + second)
    else NONE

  fun fields seconds =
    let
      val (day, rest) = (seconds div 86400, seconds mod 86400)
      val (year, month, ofMonth) = date day
    in
      {year = year,
       month = month,
       day = ofMonth,
       hour = rest div 3600,
       minute = rest div 60 mod 60,
       second = rest mod 60,
       weekDay = (day + 4) mod 7}
    end

  (* The numbers from 0 to 99 with two digits. *)
  val pairs = Vector.tabulate (100, fn n => StringCvt.padLeft #"0" 2 (Int.toString n))
  fun two n = Vector.sub (pairs, n)
  (* A year of Time.time in two parts. *)
  fun century year = two (year div 100)
  fun ofCentury year = two (year mod 100)

  (* Whole seconds since 1970, and the nanoseconds behind them. *)
  fun split time =
    let
      val nanos = Int.fromLarge (Time.toNanoseconds time)
    in
      (nanos div 1000000000, nanos mod 1000000000)
    end
  fun join (seconds, nanos) =
    SOME (Time.fromNanoseconds (1000000000 * Int.toLarge seconds + Int.toLarge nanos))
    handle Time.Time => NONE
end

structure RFC3339 :> RFC3339 =
struct
  open Civil'

  val put = PrimArrays'.array_update_unsafe : char array * int * char -> unit
  (* The last k digits of a number, up to the place `at`. *)
  fun digits (a, at, n, k) =
    if k = 0 then ()
    else
      (put (a, at - 1, Char.chr (48 + Int.rem (n, 10)));
       digits (a, at - 1, Int.quot (n, 10), k - 1))

  (* With so many digits of the fraction as `places` says of the nanoseconds. *)
  fun write (time, places, offset) =
    let
      val () = if abs offset < 1440 then () else raise Date.Date
      val (seconds, nanos) = split time
      val {year, month, day, hour, minute, second, ...} = fields (seconds + 60 * offset)
      val k = places nanos
      val zoneAt = if k = 0 then 19 else 20 + k
      val a =
        PrimArrays'.array_new_uninit (zoneAt + (if offset = 0 then 1 else 6)) : char array
      fun two (at, n) =
        (put (a, at, Char.chr (48 + Int.quot (n, 10)));
         put (a, at + 1, Char.chr (48 + Int.rem (n, 10))))
    in
      digits (a, 4, year, 4);
      put (a, 4, #"-");
      two (5, month);
      put (a, 7, #"-");
      two (8, day);
      put (a, 10, #"T");
      two (11, hour);
      put (a, 13, #":");
      two (14, minute);
      put (a, 16, #":");
      two (17, second);
      if k = 0 then ()
      else
        (put (a, 19, #"."); digits (a, 20 + k, Int.quot (nanos, power (9 - k)), k));
      if offset = 0 then put (a, zoneAt, #"Z")
      else
        (put (a, zoneAt, if offset < 0 then #"-" else #"+");
         two (zoneAt + 1, Int.quot (abs offset, 60));
         put (a, zoneAt + 3, #":");
         two (zoneAt + 4, Int.rem (abs offset, 60)));
      PrimArrays'.cast a : string
    end
  and power 0 = 1
    | power n = 10 * power (n - 1)

  fun fmt {digits, offset} time =
    if digits < 0 orelse digits > 9 then raise Size else write (time, fn _ => digits, offset)

  (* As many places as are needed. *)
  fun needed nanos =
    let
      fun go (n, k) = if Int.rem (n, 10) = 0 then go (Int.quot (n, 10), k - 1) else k
    in
      if nanos = 0 then 0 else go (nanos, 9)
    end
  fun toString time = write (time, needed, 0)

  exception Wrong

  fun scan getc s =
    let
      fun get s = case getc s of SOME found => found | NONE => raise Wrong
      fun one chars s =
        let val (c, s) = get s in if Char.contains chars c then (c, s) else raise Wrong end
      fun digit s =
        let val (c, s) = get s in if Char.isDigit c then (Char.ord c - 48, s) else raise Wrong end
      fun number (0, n, s) = (n, s)
        | number (k, n, s) = let val (d, s) = digit s in number (k - 1, 10 * n + d, s) end
      (* Digits of the fraction as nanoseconds; what is behind nine is cut off. *)
      fun fraction (unit, n, s) =
        case getc s of
          SOME (c, s') =>
            if Char.isDigit c then fraction (unit div 10, n + unit * (Char.ord c - 48), s')
            else (n, s)
        | NONE => (n, s)
      val (year, s) = number (4, 0, s)
      val (_, s) = one "-" s
      val (month, s) = number (2, 0, s)
      val (_, s) = one "-" s
      val (day, s) = number (2, 0, s)
      val (_, s) = one "Tt " s
      val (hour, s) = number (2, 0, s)
      val (_, s) = one ":" s
      val (minute, s) = number (2, 0, s)
      val (_, s) = one ":" s
      val (second, s) = number (2, 0, s)
      val (nanos, s) =
        case getc s of
          SOME (#".", s) => let val _ = digit s in fraction (100000000, 0, s) end
        | _ => (0, s)
      val (sign, s) = one "Zz+-" s
      val (offset, s) =
        if Char.contains "+-" sign then
          let
            val (hours, s) = number (2, 0, s)
            val (_, s) = one ":" s
            val (minutes, s) = number (2, 0, s)
            val offset = 60 * hours + minutes
          in
            if hours > 23 orelse minutes > 59 then raise Wrong
            else (if sign = #"-" then ~offset else offset, s)
          end
        else (0, s)
    in
      case seconds {year = year,
                    month = month,
                    day = day,
                    hour = hour,
                    minute = minute,
                    second = second} of
        SOME n => Option.map (fn time => (time, s)) (join (n - 60 * offset, nanos))
      | NONE => NONE
    end
    handle Wrong => NONE

  fun fromString text =
    case scan Substring.getc (Substring.full text) of
      SOME (time, rest) => if Substring.isEmpty rest then SOME time else NONE
    | NONE => NONE
end

structure HTTPDate :> HTTP_DATE =
struct
  open Civil'

  val weekDays =
    Vector.fromList ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  val months =
    Vector.fromList
      ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  fun short day = String.substring (day, 0, 3)

  fun toString time =
    let
      val {year, month, day, hour, minute, second, weekDay} = fields (#1 (split time))
    in
      concat [short (Vector.sub (weekDays, weekDay)),
              ", ",
              two day,
              " ",
              Vector.sub (months, month - 1),
              " ",
              century year,
              ofCentury year,
              " ",
              two hour,
              ":",
              two minute,
              ":",
              two second,
              " GMT"]
    end

  fun indexOf (names, name) = Option.map #1 (Vector.findi (fn (_, n) => n = name) names)

  (* A number of so many digits. *)
  fun number (n, text) =
    if size text = n andalso CharVector.all Char.isDigit text then
      SOME (CharVector.foldl (fn (c, k) => 10 * k + Char.ord c - 48) 0 text)
    else NONE

  fun make (year, month, day, time) =
    case (year,
          indexOf (months, month),
          day,
          List.map (fn t => number (2, t)) (String.fields (fn c => c = #":") time)) of
      (SOME year, SOME month, SOME day, [SOME hour, SOME minute, SOME second]) =>
        Option.mapPartial (fn n => join (n, 0)) (seconds {year = year,
                                                          month = month + 1,
                                                          day = day,
                                                          hour = hour,
                                                          minute = minute,
                                                          second = second})
    | _ => NONE

  fun isShort name = size name = 3 andalso Vector.exists (String.isPrefix name) weekDays

  fun fromString text =
    case String.fields (fn c => c = #" ") text of
      [name, day, month, year, time, "GMT"] =>
        if size name = 4 andalso String.sub (name, 3) = #"," andalso isShort (short name) then
          make (number (4, year), month, number (2, day), time)
        else NONE
    | [name, date, time, "GMT"] =>
        if size name > 0
           andalso String.sub (name, size name - 1) = #","
           andalso isSome (indexOf (weekDays, String.substring (name, 0, size name - 1)))
        then
          (case String.fields (fn c => c = #"-") date of
             [day, month, year] =>
               let
                 fun full n = if n < 70 then 2000 + n else 1900 + n
               in
                 make (Option.map full (number (2, year)), month, number (2, day), time)
               end
           | _ => NONE)
        else NONE
    | [name, month, "", day, time, year] =>
        if isShort name then make (number (4, year), month, number (1, day), time) else NONE
    | [name, month, day, time, year] =>
        if isShort name then make (number (4, year), month, number (2, day), time) else NONE
    | _ => NONE
end
