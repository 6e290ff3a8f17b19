(* The end of a thread that has gone on with an isolated continuation.

   Expected: "isolated", "joined", "the scope has ended". Found: "isolated", "never told", and then a report of
   a deadlock: the scope waits for a thread that is gone.

   Who waits for a thread's end is told by what CML.spawn, and Scope.fork, put behind the thread's function. `restart`
   gives that frame up with all others, and `finish` in lib/smlnj/cont.sml (`isolate`) told nobody. Mended there. *)
structure C = SMLofNJ.Cont
fun leave f = C.throw (C.isolate f) ()

val go : unit CML.chan = CML.channel ()
val t = CML.spawn (fn () => (CML.recv go; leave (fn () => print "isolated\n")))
val _ = CML.spawn (fn () => (CML.yield (); CML.send (go, ())))
val soon = CML.timeOutEvt (Time.fromSeconds 20)
val () =
  CML.select [CML.wrap (CML.joinEvt t, fn () => print "joined\n"),
              CML.wrap (soon, fn () => print "never told\n")]

val () = Scope.run (fn scope => ignore (Scope.fork scope (fn () => leave (fn () => ()))))
val () = print "the scope has ended\n"
