(* A bound thread ends the program, with its code, while others wait, compute, sleep and have not begun. *)
fun compute n = compute ((n * 3 + 1) mod 1000003)
fun wait () = ignore (CML.recv (CML.channel () : int CML.chan))
fun sleep () = OS.Process.sleep (Time.fromSeconds 1000)
val () = OS.Process.atExit (fn () => print ("exit function, " ^ (if Thread.isBound (Thread.self ()) then "bound" else "free") ^ "\n"))
val () = List.app (fn f => (Thread.ready (Thread.bound f); Thread.ready (Thread.bound f)))
           [wait, fn () => compute 1, sleep, fn () => ()]
val unstarted = Thread.bound wait
val () = Thread.ready (Thread.bound (fn () =>
  (sleep () handle _ => (); ())))
val () = Thread.ready (Thread.bound (fn () =>
  (OS.Process.sleep (Time.fromMilliseconds 30);
   print "the end\n";
   OS.Process.exit OS.Process.failure)))
val () = wait ()
