(* The order in which the time-outs of EventManager are called; one that is moved, one that is taken back. By the
   runtime's clock: by the real one the program might come too late to take it back. *)
structure M = EventManager
fun ms n = Time.fromMilliseconds n
val log : string CML.chan = CML.channel ()
fun told s () = CML.send (log, s)
val _ = M.registerTimeout (ms 60, told "late")
val _ = M.registerTimeout (ms 30, told "early")
val c = M.registerTimeout (ms 10, told "never")
val d = M.registerTimeout (ms 10, told "moved")
val () = M.unregisterTimeout c
val () = M.updateTimeout (d, ms 90)
val () = print (String.concatWith " " (List.tabulate (3, fn _ => CML.recv log)) ^ "\n")
