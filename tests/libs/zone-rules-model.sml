(* A zone's rule was looked up with lists of six changes for each moment; it computes two or three of them now. Beside a
   model that has all changes of the years around: random rules, and moments at and around their changes. *)

val seed = ref 0w5
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.mod (Word.>> (!seed, 0w33), Word.fromInt n)))
fun between (a, b) = a + random (b - a + 1)

val months = #[Date.Jan, Date.Feb, Date.Mar, Date.Apr, Date.May, Date.Jun, Date.Jul, Date.Aug, Date.Sep, Date.Oct, Date.Nov, Date.Dec]
(* Days since 1970. *)
fun days (year, month, day) =
  LargeInt.toInt
    (Time.toSeconds
       (Date.toTime (Date.date {year = year, month = Vector.sub (months, month - 1), day = day, hour = 0, minute = 0,
                                second = 0, offset = SOME Time.zeroTime}))) div 86400

datatype day = Julian of int | Week of int * int * int
fun text (Julian n, h) = "J" ^ Int.toString n ^ "/" ^ Int.toString h
  | text (Week (m, w, d), h) =
      concat ["M", Int.toString m, ".", Int.toString w, ".", Int.toString d, "/", Int.toString h]
(* Seconds on the wall. *)
fun at ((Julian n, h), year) =
      let
        val (leap, first) = (days (year, 3, 1) - days (year, 2, 1) = 29, days (year, 1, 1))
      in
        86400 * (first + n - 1 + (if leap andalso n >= 60 then 1 else 0)) + 3600 * h
      end
  | at ((Week (m, w, d), h), year) =
      let
        val first = days (year, m, 1)
        val next = if m = 12 then days (year + 1, 1, 1) else days (year, m + 1, 1)
        fun find (day, n) =
          if (day + 4) mod 7 <> d then find (day + 1, n)
          else if n = 1 orelse day + 7 >= next then day
          else find (day + 7, n - 1)
      in
        86400 * find (first, w) + 3600 * h
      end

fun change () =
  if random 4 = 0 then (Julian (between (9, 355)), between (0, 24))
  else (Week (between (1, 12), between (1, 5), random 7), between (0, 24))

fun round i =
  let
    val (start, finish) = (change (), change ())
    val west = between (~11, 11)
    val rule =
      concat ["ABC", if west < 0 then "-" else "", Int.toString (abs west), "DEF,", text start, ",", text finish]
    val zone = valOf (TimeZone.rule rule)
    val year = between (1971, 2200)
    fun changes y =
      [(at (start, y) + 3600 * west, true), (at (finish, y) + 3600 * (west - 1), false)]
    val around =
      ListMergeSort.sort (fn ((a, _), (b, _)) => a > b) (List.concat (List.tabulate (5, fn k => changes (year - 2 + k))))
    fun isSummer t = foldl (fn ((at, summer), last) => if at <= t then summer else last) false around
    fun check t =
      let
        val {summer, east, name} = TimeZone.clock zone (Time.fromSeconds (Int.toLarge t))
      in
        if summer = isSummer t
           andalso east = 3600 * (if summer then 1 - west else ~west)
           andalso name = (if summer then "DEF" else "ABC")
        then ()
        else print (concat ["wrong: ", rule, " at ", Int.toString t, "\n"])
      end
  in
    app (fn (t, _) => app (fn d => check (t + d)) [~1, 0, 1, ~86400, 86400]) (List.take (List.drop (around, 2), 6));
    ignore (List.tabulate (20, fn _ => check (86400 * days (year, 1, 1) + random (365 * 86400))))
  end

fun loop i = if i = 300 then () else (round i; loop (i + 1))
val () = loop 0

(* Two changes in one month, at the ends of the year, and summer time that never ends. *)
fun show (rule, moments) =
  app
    (fn text =>
        let
          val {summer, name, ...} =
            TimeZone.clock (valOf (TimeZone.rule rule)) (valOf (RFC3339.fromString text))
        in
          print (concat [rule, " ", text, " ", name, "\n"])
        end)
    moments
val () =
  (show ("EST5EDT,0/0,J365/25", ["2030-01-01T04:59:59Z", "2030-01-01T05:00:00Z", "2030-07-01T00:00:00Z", "2030-12-31T23:59:59Z"]);
   show ("ABC0DEF,M4.1.0,M4.4.0", ["2030-04-06T00:00:00Z", "2030-04-08T00:00:00Z", "2030-04-29T00:00:00Z"]);
   show ("ABC0DEF,M4.4.0,M4.1.0", ["2030-04-06T00:00:00Z", "2030-04-08T00:00:00Z", "2030-04-29T00:00:00Z"]);
   show ("ABC0DEF,M12.5.0,M1.5.0", ["2030-12-28T00:00:00Z", "2030-12-30T00:00:00Z", "2031-01-20T00:00:00Z", "2031-01-28T00:00:00Z"]))
