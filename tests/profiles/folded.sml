(* What the library spends is the program's line's: List.foldl and String.concatWith at lines 5 and 6. *)

val ch : int CML.chan = CML.channel ()

fun sum n = List.foldl (fn (s, n) => size s + n) 0 (List.tabulate (n, Int.toString))
fun text n = size (String.concatWith ", " (List.tabulate (n, Int.toString)))

fun producer 0 = ()
  | producer n = (CML.send (ch, sum 1000 + text 1000); producer (n - 1))
fun consumer 0 = 0
  | consumer n = CML.recv ch + consumer (n - 1)

val _ = CML.spawn (fn () => producer 2000)
val () = print (Int.toString (consumer 2000) ^ "\n")
