(* Threads that end while somebody begins to wait for their end. With several workers one that was between its look at who
   wants to know and its death was waited for for ever. *)
open CML
fun pass n =
  let
    val out = channel ()
    fun quick () = ()
    fun failing () = exit ()
    val threads = List.tabulate (n, fn i => spawn (if i mod 3 = 0 then failing else quick))
    val _ = spawn (fn () => (app (fn t => sync (joinEvt t)) threads; send (out, ())))
  in
    app (fn t => sync (joinEvt t)) threads;
    recv out
  end
fun rounds 0 = ()
  | rounds k = (pass 20; rounds (k - 1))
val () = rounds 200
(* the end is told in time, too: nothing that the thread does comes after it *)
val cell = ref 0
fun step 0 = ()
  | step n = (sync (joinEvt (spawn (fn () => cell := !cell + 1))); step (n - 1))
val () = step 2000
val () = print (Int.toString (!cell) ^ "\n")
