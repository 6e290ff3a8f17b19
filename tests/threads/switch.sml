(* The primitives: hand-off, ready, park, yield, sleep, exceptions that stay in their thread. *)
val main = Thread.self ()
val log = ref ""
fun say s = log := !log ^ s

val t = Thread.new (fn () => (say "a"; Thread.handoff main; say "b"; Thread.ready main))
val () = Thread.handoff t
val () = say "1"
val () = Thread.handoff t
val () = say "2"
val () = print (!log ^ "\n")

(* many suspended threads, each with its own stack contents *)
fun nested (0, t) = (Thread.handoff t; 0)
  | nested (n, t) = 1 + nested (n - 1, t)
val results = ref ([] : int list)
val threads = List.tabulate (60, fn i => Thread.new (fn () => (results := nested (i, main) :: !results; Thread.handoff main)))
val () = app Thread.handoff threads
val () = app Thread.handoff (rev threads)
val () = print (Int.toString (foldl op+ 0 (!results)) ^ " " ^ Int.toString (length (!results)) ^ "\n")

(* sleeping; in order of deadlines: order/time-outs-in-order *)
val _ = Thread.spawn (fn () => (Thread.sleep (Time.fromMilliseconds 20); Thread.ready main))
val () = Thread.park 0
val () = print "slept\n"

(* a spinning thread is pre-empted *)
val stop = ref false
val _ = Thread.spawn (fn () => let fun spin n = if !stop then () else spin (n + 1) in spin 0 end)
val () = stop := true
val () = print "pre-empted\n"
