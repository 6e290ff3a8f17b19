(* DateFormat: dates by a format, and back; what is no date of that form is NONE. *)

fun show NONE = "NONE"
  | show (SOME date) =
      Date.fmt "%Y-%m-%d %H:%M:%S" date
      ^ (case Date.offset date of
           NONE => ""
         | SOME west => " " ^ Int.toString (~ (Int.fromLarge (Time.toSeconds west) div 60)))

fun read (format, text) =
  print (concat [format, " | ", text, " | ", show (DateFormat.fromString format text), "\n"])

val () =
  app read [("%Y-%m-%d", "2024-02-29"),
            ("%Y-%m-%d", "2023-02-29"),
            ("%F %T", "2024-02-29 12:34:56"),
            ("%F %T", "2024-02-29   12:34:56"),
            ("%FT%T%z", "2024-02-29T12:34:56+01:00"),
            ("%FT%T%z", "2024-02-29T12:34:56-0530"),
            ("%FT%T%z", "2024-02-29T12:34:56Z"),
            ("%FT%T%z", "2024-02-29T12:34:56+0160"),
            ("%d.%m.%Y %H:%M", "1.3.2024 7:05"),
            ("%d.%m.%Y %H:%M", "1.3.2024 7:05 x"),
            ("%d.%m.%Y %H:%M", "1.13.2024 7:05"),
            ("%a, %d %b %y %I:%M %p", "Thu, 29 Feb 24 12:34 AM"),
            ("%a, %d %b %y %I:%M %p", "thursday, 29 FEBRUARY 24 12:34 pm"),
            ("%A %e %B %Y", "Friday  1 march 2024"),
            ("%A %e %B %Y", "Friyay  1 march 2024"),
            ("%y", "68"),
            ("%y", "69"),
            ("%Y %j", "2024 366"),
            ("%Y %j", "2023 366"),
            ("%Y %j", "2023 60"),
            ("%s", "1709210096"),
            ("%s", "-1"),
            ("%H%M%S", "123456"),
            ("%H:%M %Z", "12:34 GMT"),
            ("100%% %Y", "100% 2024"),
            ("%D%n%R", "02/29/24\t23:59"),
            ("%T", "24:00:00"),
            ("", ""),
            ("", "x")]
val () =
  app
    (fn f =>
      ignore (DateFormat.fromString f) handle DateFormat.Format d => print ("no " ^ d ^ "\n"))
    ["%Q", "a%", "%%%"]

(* A date in the midst of a text. *)
val () =
  case DateFormat.scan "%F" Substring.getc (Substring.full "2024-03-01, a Friday") of
    SOME (date, rest) => print (show (SOME date) ^ " then \"" ^ Substring.string rest ^ "\"\n")
  | NONE => print "NONE\n"

(* What is written is read again. *)
fun at offset =
  Date.date
    {year = 2024, month = Date.Mar, day = 1, hour = 9, minute = 5, second = 3, offset = offset}
val west = at (SOME (Time.fromSeconds 12600))
val east = at (SOME (Time.fromSeconds ~3600))
val () =
  app
    (fn (f, d) => print (DateFormat.fmt f d ^ "\n"))
    [("%F %T %z", west), ("%F %R %z %%z", east), ("%D %h %r", west), ("%s", east), ("%A %j [%e]", west)]
val () =
  app
    (fn f => print (show (DateFormat.fromString f (DateFormat.fmt f west)) ^ "\n"))
    ["%F %T %z", "%A, %d %B %Y, %I:%M:%S %p %z", "%j %y %H %M %S%z"]
val local' = at NONE
val () =
  print (Bool.toString
           (isSome (DateFormat.fromString "%F %T %z" (DateFormat.fmt "%F %T %z" local')))
         ^ "\n")
val again = valOf (DateFormat.fromString "%F %T %z" (DateFormat.fmt "%F %T %z" local'))
val () = print (Bool.toString (Date.toTime again = Date.toTime local') ^ "\n")
val () =
  print (DateFormat.fmt "%Q" west ^ "\n") handle DateFormat.Format d => print ("no " ^ d ^ "\n")

(* A name ended at the first character that is no letter: "03 MayT10:05", which "%d %bT%H:%M" writes, was none. *)
val all =
  [("%Y %d %bT%H:%M", "2024 03 MayT10:05"),
   ("%Y %d %BT%H:%M", "2024 03 JulyT10:05"),
   ("%I:%M%pZ", "10:05PMZ"),
   ("%aT%F", "SatT2024-03-02"),
   ("%H:%M%Zx", "10:05UTCx"),
   ("%aday %F", "Monday 2024-03-04"),
   ("%Aday %F", "Monday 2024-03-04"),
   ("%bch %Y", "March 2024"),
   ("%bmay%bch %Y", "MaymayMarch 2024"),
   ("%b%a%Y", "MarchFriday2024"),
   ("%b%a%Y", "MarFri2024"),
   ("%bT", "MarcT"),
   ("%b", "Ma"),
   ("%p", "a")]
val () = app read all
