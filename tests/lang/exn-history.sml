(* SMLofNJ.exnHistory: where an exception was raised; one that is raised again keeps its place, and one that never was has
   none. What a check raises to a handler in its own function is not noted. *)
exception A
exception B of int
fun f 0 = raise A
  | f n = 1 + f (n - 1)
fun g n = f n handle B k => k
fun base s = Substring.string (Substring.taker (fn c => c <> #"/") (Substring.full s))
fun first s = Substring.string (Substring.takel (fn c => c <> #" ") (Substring.full s))
fun show e = (print (exnName e ^ "\n"); app (fn s => print ("  " ^ first s ^ " " ^ base s ^ "\n")) (SMLofNJ.exnHistory e))
val () = (ignore (g 2)) handle e => show e
fun h n = if n > 3 then raise B n else h (n + 1) + 1
val () = ignore (h 0) handle e => show e
fun again () = h 0 handle e => (print "again\n"; raise e)
val () = ignore (again ()) handle e => show e
fun deep (v, 0) = Vector.sub (v, 5)
  | deep (v, n) = 1 + deep (v, n - 1)
val () = ignore (deep (Vector.fromList [1, 2], 2)) handle e => show e
val () = show (Fail "never raised")
val () = print (Int.toString (length (MLton.Exn.history (Fail "neither"))) ^ "\n")
(* many others in between: the oldest are forgotten *)
val kept = (raise B 1) handle e => e
val () = List.app (fn n => (raise B n) handle _ => ()) (List.tabulate (100, fn n => n))
val () = (ignore (List.tabulate (10000, fn n => SOME n)); show kept)
