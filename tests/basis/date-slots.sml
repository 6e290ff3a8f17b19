(* The clocks that were found last are kept by the moment modulo 136 years. A date is the same whatever was asked before it:
   beside a zone that has just been set, and has found nothing yet. *)
fun afresh () = MLton.ProcEnv.setenv {name = "TZ", value = "CET-1CEST,M3.5.0,M10.5.0/3"}
fun time s = Time.fromSeconds (Int.toLarge s)
fun shown t = Date.toString (Date.fromTimeLocal (time t)) ^ Date.fmt " %Z" (Date.fromTimeLocal (time t))
fun read t =
  let
    val d = Date.fromTimeUniv (time t)
    val d =
      Date.date {year = Date.year d, month = Date.month d, day = Date.day d, hour = Date.hour d,
                 minute = Date.minute d, second = Date.second d, offset = NONE}
  in
    LargeInt.toString (Time.toSeconds (Date.toTime d))
  end

val seed = ref 0w5
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.mod (Word.>> (!seed, 0w20), Word.fromInt n)))

(* Changes of 1996 to 2030, their neighbours, and what has the same slot: 2^32 seconds behind and before. *)
val moments =
  List.tabulate (300, fn i =>
    let
      val year = 1996 + i mod 35
      val change =
        Date.date {year = year, month = if i mod 2 = 0 then Date.Mar else Date.Oct, day = 25 + random 7,
                   hour = random 5, minute = 0, second = 0, offset = SOME Time.zeroTime}
    in
      Int.fromLarge (Time.toSeconds (Date.toTime change)) + random 3 - 1 + (random 3 - 1) * 4294967296
    end)
fun alone f = map (fn t => (afresh (); f t)) moments
fun together f = (afresh (); map f moments)
val () = print (Bool.toString (alone shown = together shown) ^ "\n")
val () = print (Bool.toString (alone read = together read) ^ "\n")
val () = print (Bool.toString (together shown = rev (map shown (rev moments))) ^ "\n")
