(* A withNack whose function returns a withNack, and so on: each level once copied the list of all acknowledgements below it,
   so the time and the memory of a synchronisation grew with the square of the depth. What is allocated says so exactly. *)
open CML

fun nested (0, event, _) = event
  | nested (n, event, note) = nested (n - 1, withNack (fn nack => (note (n, nack); event)), note)
fun quiet _ = ()

fun allocated f =
  let val before' = Leat.GC.allocatedBytes ()
  in f (); Leat.GC.allocatedBytes () - before' end

(* taken at once; offered, and a time-out happens; with a choice at each level; one that loses *)
val ways =
  [("taken", fn n => sync (nested (n, alwaysEvt (), quiet))),
   ("offered", fn n => sync (nested (n, timeOutEvt (Time.fromMicroseconds 10), quiet))),
   ("with choices", fn n =>
      sync (foldl (fn (_, e) => withNack (fn _ => choose [e, never])) (alwaysEvt ()) (List.tabulate (n, fn k => k)))),
   ("loses", fn n => select [nested (n, never, quiet), alwaysEvt ()])]

val () =
  app
    (fn (name, f) =>
       let
         val () = f 10
         val few = allocated (fn () => f 500)
         val many = allocated (fn () => f 5000)
       in
         print (name ^ (if many < 13 * few then ": linear\n" else ": " ^ Int.toString few ^ ", " ^ Int.toString many ^ "\n"))
       end)
    ways

(* none for the levels of the event that won, else each once *)
val heard = Mailbox.mailbox ()
fun note (n, nack) = ignore (spawn (fn () => (sync nack; Mailbox.send (heard, n))))
val () = select [nested (5, never, note), wrap (timeOutEvt (Time.fromMilliseconds 5), fn () => ())]
val () = print (Int.toString (foldl (fn (_, sum) => sum + Mailbox.recv heard) 0 [1, 2, 3, 4, 5]) ^ "\n")
val () = select [nested (5, alwaysEvt (), note), never]
val () = sync (timeOutEvt (Time.fromMilliseconds 5))
val () = print (case Mailbox.recvPoll heard of NONE => "none\n" | SOME n => Int.toString n ^ "\n")
