(* An exception that nobody handles ends a bound thread, and its OS thread; the program goes on. In the main thread one ends
   the program, while bound threads wait. *)
exception Planted of int
val done : unit CML.chan = CML.channel ()
val () = Thread.ready (Thread.bound (fn () => CML.recv done))
val () = List.app (fn n => Thread.ready (Thread.bound (fn () => raise Planted n))) [1, 2]
val () = OS.Process.sleep (Time.fromMilliseconds 1)
val () = print "goes on\n"
val () = raise Planted 3
