(* A table of small trees, random ones of which are replaced all the time: the longest time between two steps.
   Arguments: megabytes of live data, as Leat's objects have them; seconds. *)

val (megabytes, seconds) =
  case map Int.fromString (CommandLine.arguments ()) of
    [SOME megabytes, SOME seconds] => (megabytes, seconds)
  | _ => (print "usage: table MEGABYTES SECONDS\n"; OS.Process.exit OS.Process.failure)

val entries = megabytes * 1000000 div entryBytes
val table = Array.tabulate (entries, fn i => tree (4, i))

val gaps = newGaps ()
val start = now ()
val finish = start + seconds * 1000000000
val (steps, check) = replace (table, gaps, finish, 42)

val () = sayLongest (gaps, steps)
val () = say ("above-1", Int.toString (above gaps 1000))
val () = say ("above-5", Int.toString (above gaps 5000))
val () = say ("steps", Int.toString (steps div seconds))
val () = if check = 0 then print "nothing was summed\n" else ()
