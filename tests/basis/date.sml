(* Date: the calendar, carrying, formats, reading. *)
fun line s = print (s ^ "\n")
fun mk (y, m, d, h, mi, s) = Date.date {year = y, month = m, day = d, hour = h, minute = mi, second = s, offset = SOME Time.zeroTime}
fun seconds d = LargeInt.toString (Time.toSeconds (Date.toTime d))
val days =
  [mk (1970, Date.Jan, 1, 0, 0, 0), mk (2000, Date.Feb, 29, 12, 30, 15), mk (1999, Date.Dec, 31, 23, 59, 59),
   mk (2001, Date.Feb, 29, 0, 0, 0), mk (1995, Date.Mar, 8, 19, 6, 45), mk (2024, Date.Jan, 60, 25, 61, 61),
   mk (2024, Date.Mar, 0, 0, 0, ~1), mk (1969, Date.Jul, 20, 20, 17, 40), mk (2038, Date.Jan, 19, 3, 14, 8)]
val () = app (fn d => line (Date.toString d ^ " " ^ seconds d ^ " " ^ Int.toString (Date.yearDay d))) days
val () = app (fn d => line (Date.fmt "%a %A %b %B %d %H %I %j %m %M %p %S %U %w %W %y %Y %% %x %X" d)) days
val () = app (fn t => line (Date.toString (Date.fromTimeUniv (Time.fromSeconds t))))
  [0, 951827415, ~1, 4102444800, 1700000000]
val () = app (fn s => line (case Date.fromString s of SOME d => Date.toString d | NONE => "NONE"))
  ["Wed Mar 08 19:06:45 1995", "  Wed Mar  8 19:06:45 1995", "Wed Mar 08 19:06 1995", "Xyz Mar 08 19:06:45 1995", "Wed Mar 38 19:06:45 1995"]
val () = line (case Date.compare (List.nth (days, 0), List.nth (days, 1)) of LESS => "LESS" | EQUAL => "EQUAL" | GREATER => "GREATER")
val east = Date.date {year = 2020, month = Date.Jun, day = 1, hour = 0, minute = 30, second = 0, offset = SOME (Time.fromSeconds ~7200)}
val () = line (Date.toString east ^ " " ^ seconds east)
val () = line (case Date.offset east of SOME t => Time.toString t | NONE => "NONE")
val () = line (case Date.weekDay east of Date.Mon => "Mon" | _ => "other")
(* %e was the day of the month: the specification has no such format, and of a character that it does not list a format is the
   character itself *)
val listed = "aAbBcdHIjmMpSUwWxXyYZ"
fun itself c = Date.fmt ("%" ^ str c) (List.nth (days, 4)) = str c
val () = line (implode (List.filter (not o itself) (List.tabulate (256, chr))) ^ " " ^ Date.fmt "%e" (List.nth (days, 4)))
val () = line (Bool.toString (List.all (not o itself) (explode listed)))
