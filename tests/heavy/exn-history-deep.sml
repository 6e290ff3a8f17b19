(* Where exceptions were raised, on deep stacks. Each raise once walked over the whole stack and wrote its lines, also where the
   handler was in the next frame and nobody asked: a recursion that raises and handles at each level took time in the square
   of its depth, in every test of `leat test`. A trace goes as far as the handler and some frames further. *)
exception No of int

fun look n = if n mod 2 = 0 then raise No n else n
fun go 0 = 0
  | go n = (look n handle No k => k) + go (n - 1)

val () = print (Int.toString (go 300000) ^ "\n")

fun base s = Substring.string (Substring.taker (fn c => c <> #"/") (Substring.full s))
fun show e = app (fn s => print ("  " ^ base s ^ "\n")) (SMLofNJ.exnHistory e)

(* The handler is at the old end: both ends of the trace, and how many frames are between them. *)
fun down 0 = raise No 0
  | down n = 1 + down (n - 1)
val () = print "at the old end\n"
val () = ignore (down 1000) handle e => show e

(* It is near the raise: the trace says that the stack goes on. *)
fun near 0 = ((down 5 handle e => (show e; 0)) + 1)
  | near n = 1 + near (n - 1)
val () = print "near\n"
val _ = near 1000

(* One that no handler on the way takes is the same exception, with its first trace. *)
fun passed 0 = ((down 1 handle Fail _ => 0) + 1)
  | passed n = 1 + passed (n - 1)
val () = print "passed on\n"
val () = ignore (passed 3) handle e => show e
