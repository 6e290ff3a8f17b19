(* The sequence of MLton.Random.rand is one for all threads. Two that came at a time took the same step, so the sequence
   was behind when all were done; and they got the same number. *)
open CML
val (threads, each) = (4, 500000)
fun skip 0 = ()
  | skip n = (ignore (MLton.Random.rand ()); skip (n - 1))
fun after f = (MLton.Random.srand 0w13; f (); MLton.Random.rand ())
fun together () = app (sync o joinEvt) (List.tabulate (threads, fn _ => spawn (fn () => skip each)))
val () =
  print (if after together = after (fn () => skip (threads * each)) then "no step is lost\n" else "steps are lost\n")
val () = print (Word.toString (after ignore) ^ "\n")
