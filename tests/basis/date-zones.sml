(* The local zone, by rules and by files. A date of the repeated hour lost which of the two it was, so that toTime was an hour off;
   %Z was empty; a skipped hour stayed as it was written; and each call asked the C library, which looked at the zone's file. *)

fun line s = print (s ^ "\n")
fun zone name = MLton.ProcEnv.setenv {name = "TZ", value = name}
fun seconds d = LargeInt.toString (Time.toSeconds (Date.toTime d))
fun show d = Date.fmt "%Y-%m-%d %H:%M:%S %Z" d ^ (case Date.isDst d of SOME true => " dst " | SOME false => " std " | NONE => " ? ") ^ seconds d
fun at s = Date.fromTimeLocal (Time.fromSeconds s)
fun mk (y, m, d, h, mi) = Date.date {year = y, month = m, day = d, hour = h, minute = mi, second = 0, offset = NONE}
fun back s = Date.toTime (at s) = Time.fromSeconds s

val berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
val () = zone berlin
val () = app (line o show o at) [1509237000, 1509240600, 1509244200, 1490489999, 1490490000]
(* the first of the two; the skipped hour, read on the clock before; midday *)
val () = app (line o show o mk) [(2017, Date.Oct, 29, 2, 30), (2017, Date.Mar, 26, 2, 30), (2017, Date.Jul, 1, 12, 0), (2017, Date.Oct, 29, 3, 0)]
val () = line (Bool.toString (List.all back (List.tabulate (2000, fn i => 1483225200 + LargeInt.fromInt i * 17341))))
val () = line (Bool.toString (List.all back (List.tabulate (400, fn i => 1509230000 + LargeInt.fromInt i * 61))))

(* Half an hour of summer time, south of the equator; days by number; names in brackets; nights that end at other hours. *)
val () = app (fn (name, moments) => (zone name; app (line o show o at) moments))
  [("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", [1491057000 - 1, 1491057000, 1506785400 - 1, 1506785400]),
   ("AAA3BBB,J60/0,J300/0:30", [1519873199, 1519873200, 1540697399 + 1800, 1583031600]),
   ("AAA3BBB,59/0,299", [1519873199, 1519873200, 1582945200]),
   ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", [1711846799, 1711846800]),
   ("EST5EDT", [1710054000 - 1, 1710054000]),
   ("UTC0", [0]), ("", [1]), (":", [2]), ("no such zone", [3]), ("CET-1CEST,M13.1.0,M1.1.0", [4]), ("XY5", [5])]

(* A file, made here: two clocks before the rule, and a local mean time before the first moment. *)
fun bytes (n : LargeInt.int, size) = List.tabulate (size, fn i => Word8.fromLargeInt (n div LargeInt.fromInt 1 div IntInf.pow (256, size - 1 - i)))
fun int (n, size) = implode (map Byte.byteToChar (bytes (n, size)))
fun block (size, moments, kinds, clocks, names) =
  concat
    (["TZif2", implode (List.tabulate (15, fn _ => #"\000"))]
     @ map (fn n => int (LargeInt.fromInt n, 4)) [0, 0, 0, length moments, length clocks, String.size names]
     @ map (fn m => int (m, size)) moments @ map (fn k => str (chr k)) kinds
     @ List.concat (map (fn (east, dst, name) => [int (east, 4), str (chr dst), str (chr name)]) clocks) @ [names])
val clocks = [(3208, 0, 0), (3600, 0, 4), (7200, 1, 8)]
val names = "LMT\000CET\000CEST\000"
val file = OS.FileSys.tmpName ()
fun write text = let val out = TextIO.openOut file in TextIO.output (out, text); TextIO.closeOut out end
val moments = [~2422054408, 1301187600, 1319936400]
val () = write (block (4, [], [], [(0, 0, 0)], "UTC\000") ^ block (8, moments, [1, 2, 1], clocks, names) ^ "\n" ^ berlin ^ "\n")
val () = zone file
val () = app (line o show o at) [~2422054409, ~2422054408, 1301187599, 1301187600, 1319936399, 1319936400, 1509237000, 1509240600]
val () = line (show (mk (2011, Date.Oct, 30, 2, 30)))
(* without the rule, and of 32 bits; a file that is none, and one that ends early *)
val () = (write (block (4, [], [], [(0, 0, 0)], "UTC\000") ^ block (8, moments, [1, 2, 1], clocks, names) ^ "\n\n"); zone (":" ^ file); line (show (at 1509237000)))
val old = let val s = block (4, [1301187600], [2], clocks, names) in "TZif\000" ^ String.extract (s, 5, NONE) end
val () = (write old; zone file; line (show (at 1301187600)); line (show (at 1301187599)))
val () = (write "TZif2 and no more"; zone file; line (show (at 6)))
val () = (write (String.substring (old, 0, 70)); zone file; line (show (at 7)))
val () = (OS.FileSys.remove file; zone file; line (show (at 8)))

(* Formats and their inverse. *)
val () = zone berlin
val d = at 1700000000
val () = line (Date.fmt "%a %A %b %B|%c|%d %H %I %j %m %M %p %S %U %w %W|%x|%X|%y %Y %Z %% %q %" d)
val () = line (Date.toString (valOf (Date.fromString (" \t" ^ Date.toString d ^ "rest"))) ^ " " ^ Bool.toString (Date.toTime (valOf (Date.fromString (Date.toString d))) = Date.toTime d))
val () = line (Date.toString (Date.date {year = 12345, month = Date.Jan, day = 1, hour = 0, minute = 0, second = 0, offset = SOME Time.zeroTime}) ^ " "
               ^ Date.fmt "%Y %y [%Z]" (Date.date {year = ~44, month = Date.Mar, day = 15, hour = 12, minute = 0, second = 0, offset = SOME (Time.fromSeconds 3600)}))
val () = app (fn s => line (case StringCvt.scanString Date.scan s of SOME d => Date.toString d | NONE => "NONE"))
  ["Wed Mar  8 19:06:45 1995", "Wed Mar 08 19:06:45 199", "Wed Mar 8  19:06:45 1995", "wed Mar 08 19:06:45 1995", "Wed Mar 00 19:06:45 1995",
   "Wed Mar 08 24:06:45 1995", "Wed Mar 08 19:06:61 1995", "Wed Mar 08 19:06:62 1995", "Wed Mar -8 19:06:45 1995"]
