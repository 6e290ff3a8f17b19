(* Bound threads until the system gives no OS thread more (`ulimit -v`), then light threads that take turns, for which lanes
   are made, and a table of timers that grows: there is memory for it. (Lanes took what OS threads leave to the C library, and
   the next table, or whatever came, ended the process.) *)
open CML
val done : unit chan = channel ()
fun bound n =
  (Thread.ready (Thread.bound (fn () => send (done, ()))); bound (n + 1))
  handle OS.SysErr _ => n
val n = bound 0
val () = print (if n > 20 then "many\n" else Int.toString n ^ "\n")

fun echo (a, b) = (recv a; send (b, ()); echo (a, b))
val pairs : (unit chan * unit chan) vector = Vector.tabulate (400, fn _ => (channel (), channel ()))
val () = Vector.app (fn pair => ignore (spawn (fn () => echo pair))) pairs
fun turns 0 = ()
  | turns k =
      (Vector.app (fn (a, _) => send (a, ())) pairs;
       Vector.app (fn (_, b) => recv b) pairs;
       turns (k - 1))
val () = turns 50
fun sleeper i = ignore (spawn (fn () => sync (timeOutEvt (Time.fromSeconds (1000 + Int.toLarge i)))))
val () = List.app sleeper (List.tabulate (20000, fn i => i))

fun all 0 = ()
  | all n = (recv done; all (n - 1))
val () = all n
val () = print "done\n"
val () = OS.Process.exit OS.Process.success
