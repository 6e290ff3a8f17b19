(* SMLofNJ.exnHistory: where an exception was raised; one that is raised again keeps its place, and one that never was has
   none. *)
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
(* Checks whose handler is in the same function were once not noted; and a raise that was handled there was taken for the
   next one of the same exception. *)
val two = length (CommandLine.arguments ()) + 2
fun check f = ((f () : int) handle e => (show e; 0); ())
fun here n =
  (ignore (Vector.sub (#[1, 2], n + 4)) handle e => show e;
   ignore (valOf Int.maxInt + n) handle e => show e;
   ignore (n div (n - 2)) handle e => show e;
   ignore (Array.array (~n, 0)) handle e => show e;
   ignore (chr (~n)) handle e => show e;
   (case n of 5 => () | 6 => ()) handle e => show e;
   let val 5 = n in () end handle e => show e;
   n)
val _ = here two
fun quiet () = (raise Subscript) handle _ => 0
val () = check quiet
val () = ignore (List.nth ([1], two)) handle e => show e
val () = check (fn () => Array.sub (Array.array (1, 0), two))
val () = show (Fail "never raised")
val () = print (Int.toString (length (MLton.Exn.history (Fail "neither"))) ^ "\n")
(* many others in between, and collections: each has its own history as long as it lives *)
val kept = (raise B 1) handle e => e
val () = List.app (fn n => (raise B n) handle _ => ()) (List.tabulate (100, fn n => n))
val () = (ignore (List.tabulate (10000, fn n => SOME n)); show kept)
