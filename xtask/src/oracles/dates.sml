(* COUNT moments of the years 1890 to 2080 in the local zone: the clock on the wall, its name, and whether the date is that
   moment again. *)

val seed = ref 0w1
fun next () =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.>> (!seed, 0w33)) * 3 mod 6000000000 - 2500000000)

fun loop 0 = ()
  | loop n =
      let
        val time = Time.fromSeconds (Int.toLarge (next ()))
        val date = Date.fromTimeLocal time
      in
        print (Date.fmt "%Y-%m-%d %H:%M:%S %Z" date ^ (if Date.toTime date = time then "\n" else " is another moment\n"));
        loop (n - 1)
      end

val () = loop (valOf (Int.fromString (hd (CommandLine.arguments ()))))
