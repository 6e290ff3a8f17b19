(* The functions of atExit are done once, and all of them. While one of them waited,
   - another thread that said exit went on with the next one and ended the program, so what the first had begun was lost;
   - one that waited for what cannot come ended the program without a word, and those behind it (which write out the files
     that are open) were not done;
   - a thread that had been made ready before it said exit came back from it. *)
fun exitFunction (name, wait) = OS.Process.atExit (fn () => (print (name ^ " begins\n"); wait (); print (name ^ " ends\n")))
fun sleep n () = OS.Process.sleep (Time.fromMilliseconds n)
val () = exitFunction ("first", sleep 5)
val () = exitFunction ("blocked", fn () => ignore (CML.recv (CML.channel () : int CML.chan)))
val () = exitFunction ("slow", sleep 50)
val () = Thread.ready (Thread.self ())
val others = List.tabulate (3, fn _ => CML.spawn (fn () => (sleep 10 (); OS.Process.exit OS.Process.success)))
val _ = OS.Process.exit OS.Process.failure
val () = print "came back\n"
