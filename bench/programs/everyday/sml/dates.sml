(* Times as dates: each is shown and read again, in Universal Time; of local dates the seconds are added up. *)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val first = 946684800 (* the year 2000 *)

fun loop (i, letters, same, seconds) =
  if i = n then (letters, same, seconds)
  else
    let
      val time = Time.fromSeconds (LargeInt.fromInt (first + i * 8641))
      val date = Date.fromTimeUniv time
      val text = Date.fmt "%Y-%m-%d %H:%M:%S" date
      val again = valOf (Date.fromString (Date.toString date))
      val isSame = Date.compare (date, again) = EQUAL
      val s = Date.second (Date.fromTimeLocal time)
      val letter = ord (String.sub (text, 9)) - 48 + ord (String.sub (text, 12)) - 48
    in
      loop (i + 1, letters + letter, if isSame then same + 1 else same, seconds + s)
    end

val (letters, same, seconds) = loop (0, 0, 0, 0)
val () =
  print (Date.fmt
           "%Y-%m-%d %H:%M:%S\n"
           (Date.fromTimeUniv (Time.fromSeconds (LargeInt.fromInt (first + (n - 1) * 8641)))))
val () =
  print (concat [Int.toString letters, " ", Int.toString same, " ", Int.toString seconds, "\n"])
