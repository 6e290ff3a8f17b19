(* Histories of exceptions live as long as the exceptions. The last sixteen that were raised, by any thread, once had
   one: those were kept alive for ever with all that they refer to, and a handler in which sixteen others were raised
   and handled had lost the history of its own. *)
exception Large of int array
exception No of int

fun base s = Substring.string (Substring.taker (fn c => c <> #"/") (Substring.full s))
fun show e = app (fn s => print ("  " ^ base s ^ "\n")) (SMLofNJ.exnHistory e)
fun collect () = (SMLofNJ.Internals.GC.doGC 10; MLton.GC.collect ())

(* nothing of what is over is left *)
fun request n = (raise Large (Array.array (1000000, n))) handle Large a => Array.sub (a, 0)
val sum = List.foldl (fn (n, sum) => request n + sum) 0 (List.tabulate (30, fn n => n))
val () = collect ()
val () = print (Int.toString sum ^ (if Leat.GC.liveBytes () < 8000000 then " all gone\n" else " some live\n"))

(* so many that collections are made for their sake; those that are kept have all a history *)
fun try n = raise No n
fun raised n = (try n; No ~1) handle e => e
fun many (0, kept) = kept
  | many (n, kept) = let val e = raised n in many (n - 1, if n mod 100 = 0 then e :: kept else kept) end
val first = raised 1
val kept = many (100000, [])
val () = collect ()
val places = length (SMLofNJ.exnHistory first)
val () = show first
val () =
  print (Int.toString (length kept) ^ " kept"
         ^ (if List.all (fn e => length (SMLofNJ.exnHistory e) >= 2) kept then ", each with its place\n" else "\n"))

(* several threads raise at once *)
val box : exn Mailbox.mbox = Mailbox.mailbox ()
fun thread k = ignore (many (20000, [])) before Mailbox.send (box, raised k)
val () = app (fn k => ignore (CML.spawn (fn () => thread k))) [1, 2, 3, 4]
val got = List.tabulate (4, fn _ => Mailbox.recv box)
val () =
  print (Int.toString (List.foldl (fn (No k, sum) => k + sum | (_, sum) => sum) 0 got)
         ^ (if List.all (fn e => length (SMLofNJ.exnHistory e) >= 2) got then " with their places\n" else "\n"))
val () = print (if places = length (SMLofNJ.exnHistory first) then "the first has its own\n" else "lost\n")
val () = OS.Process.exit OS.Process.success
