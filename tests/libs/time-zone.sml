(* TimeZone: zones by rules and by files, what clocks show around their changes, and back. *)

fun say s = print (s ^ "\n")
val at = valOf o RFC3339.fromString
val rule = "CET-1CEST,M3.5.0,M10.5.0/3"
val berlin = valOf (TimeZone.rule rule)
fun clock {east, summer, name} = concat [Int.toString east, if summer then " summer " else " ", name]
fun show zone text =
  let
    val t = at text
    val d = TimeZone.date zone t
  in
    say (concat [text, " ", TimeZone.toString zone t, " ", DateFormat.fmt "%F %T %z" d, " ", clock (TimeZone.clock zone t)]);
    if Date.toTime d = Time.fromSeconds (Time.toSeconds t) then () else say "another time"
  end
val () =
  List.app (show berlin)
    ["2024-02-29T12:34:56Z", "2024-07-01T00:00:00.5Z", "2024-03-31T00:59:59Z", "2024-03-31T01:00:00Z", "2024-10-27T00:59:59.999999999Z", "2024-10-27T01:00:00Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z"]
val () = List.app (fn z => show z "2024-07-01T12:00:00Z") (TimeZone.utc :: List.mapPartial TimeZone.rule ["EST5", "<+0545>-5:45", "NST3:30NDT,M3.2.0,M11.1.0", "<-03>3"])
fun back zone text =
  say (concat [text, " -> ", RFC3339.toString (TimeZone.time zone (valOf (DateFormat.fromString "%F %T" text)))])
val () =
  List.app (back berlin)
    ["2024-02-29 12:34:56", "2024-07-01 14:34:00", "2024-03-31 01:59:59", "2024-03-31 02:30:00", "2024-03-31 03:00:00", "2024-10-27 01:59:59", "2024-10-27 02:30:00", "2024-10-27 03:00:00", "1969-07-20 21:17:40"]

(* what names no zone *)
val () =
  List.app
    (fn s => case TimeZone.zone s of SOME z => say ("taken: " ^ TimeZone.name z) | NONE => ())
    ["", "/", "..", "../zoneinfo/UTC", "/etc/localtime", "/usr/share/zoneinfo/UTC", "Europe/../UTC", "Europe//Berlin", "Europe", "Europe/Berlin/", "No/Such", "UTC\000", "zone.tab", "Europe/Berlin\n"]
val () = List.app (fn s => if isSome (TimeZone.rule s) then say ("taken: " ^ s) else ()) ["", "Europe/Berlin", "CET", "1", "CET-1CEST,M3", "CET-1 CEST",
     (* What no clock shows: a date for such a zone raised Date. *)
     "AAA25", "AAA999", "AAA1:60", "AAA-1:00:60", "AAA1BBB99", "AAA1BBB,J0,J365", "AAA1BBB,J1,J366", "AAA1BBB,0,366", "AAA1BBB,M3.5.0/168,M10.5.0"]
val () = say (TimeZone.name berlin ^ " " ^ TimeZone.name TimeZone.utc)

(* The files of the system, where it has them: each hour of some years is there and back, and is that of the rule. *)
val () =
  case TimeZone.zone "Europe/Berlin" of
    NONE => ()
  | SOME file =>
      let
        val first = Time.toSeconds (at "2019-12-31T00:00:00Z")
        fun go k =
          if k >= 20000 then ()
          else
            let
              val t = Time.fromSeconds (first + 3600 * k)
              val d = TimeZone.date file t
              val u = TimeZone.time file d
            in
              if TimeZone.clock file t <> TimeZone.clock berlin t then say ("another clock: " ^ RFC3339.toString t) else ();
              (* the second one of the two hours that look alike *)
              if u = t orelse Time.- (t, u) = Time.fromSeconds 3600 then () else say ("another time: " ^ RFC3339.toString t);
              go (k + 7)
            end
      in
        if TimeZone.name file = "Europe/Berlin" then () else say "another name";
        if TimeZone.toString file (at "1900-01-01T00:00:00Z") = "1900-01-01T01:00:00+01:00" then () else say "1900";
        go 0
      end
