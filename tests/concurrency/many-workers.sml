(* More workers than there are nurseries when address space is limited (`ulimit -v`): the seventeenth once ended the program,
   or the next collection waited for it for ever. *)

val threads = 64
val () = Thread.setWorkers threads

val answer = CML.channel () : int CML.chan
fun count (list, 0) = length list
  | count (list, n) = count (n :: (if n mod 1000 = 0 then [] else list), n - 1)
fun work () = CML.send (answer, List.foldl (fn (_, n) => n + count ([], 10000)) 0 (List.tabulate (2000, fn k => k)))

fun main () =
  (List.app (fn _ => ignore (CML.spawn work)) (List.tabulate (threads, fn k => k));
   print (Int.toString (foldl (fn (_, n) => n + CML.recv answer) 0 (List.tabulate (threads, fn k => k))) ^ "\n"))

val _ = RunCML.doit (main, NONE)
