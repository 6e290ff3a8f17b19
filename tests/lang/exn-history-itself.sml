(* A function that is copied into itself, in the scope of its own handler: the raise there is noted, too. *)
fun base s = Substring.string (Substring.taker (fn c => c <> #"/") (Substring.full s))
fun show e = (print (exnName e ^ "\n"); app (fn s => print ("  " ^ base s ^ "\n")) (MLton.Exn.history e); 0)
fun f (n, d) = if n = 0 then 10 div d else (f (n - 1, d) handle e => show e)
val zero = length (CommandLine.arguments ())
val _ = f (1, zero)
val _ = f (3, zero)
exception E of int
fun g (n, d) = if n = 0 then (if d = 0 then raise E n else d) else (g (n - 1, d) handle e as E _ => show e)
val _ = g (1, zero)
val _ = g (2, zero)
val _ = Vector.sub (#[1], g (0, 1)) handle e => show e
