(* Date.date takes fields as they are where a clock shows them so, and works others out: 31 April, 24:00, a minute less
   than 0, an hour that there is not. In both cases they are those of the moment that the date is. *)
open Date
val all = "%Y-%m-%d %H:%M:%S %a %j"
val wrong = ref 0
fun fields f = app (fn y => app (fn m => app (fn d => app (fn (h, min, s) => f (y, m, d, h, min, s))
  [(0, 0, 0), (23, 59, 59), (24, 0, 0), (2, 30, 0), (~1, 0, 0), (0, 60, 0), (0, ~1, 0), (0, 0, 60), (0, 0, ~1)])
  [~1, 0, 1, 2, 27, 28, 29, 30, 31, 32, 60])
  [Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec])
  [1900, 1970, 2000, 2024, 2025, 2100]
fun check (offset, shown) (y, m, d, h, min, s) =
  let
    val date = Date.date {year = y, month = m, day = d, hour = h, minute = min, second = s, offset = offset}
    val same = shown (Date.toTime date)
  in
    if fmt all date = fmt all same andalso yearDay date = yearDay same then ()
    else (if !wrong < 5 then print (fmt all date ^ " is " ^ fmt all same ^ "\n") else (); wrong := !wrong + 1)
  end
fun hours n = Time.fromSeconds (3600 * n)
val () = fields (check (SOME Time.zeroTime, fromTimeUniv))
val () = fields (check (NONE, fromTimeLocal))
val () = fields (check (SOME (hours 5), fn t => fromTimeUniv (Time.- (t, hours 5))))
(* more than a day: whole days go to the date *)
val () = fields (check (SOME (hours 53), fn t => fromTimeUniv (Time.- (t, hours 5))))
val () = print (Int.toString (!wrong) ^ " wrong\n")
