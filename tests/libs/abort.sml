(* Both kinds of abort: by time, forced, forced twice, asked for by several threads, after they have happened. *)

fun later ms = Time.fromMilliseconds ms
fun sleep ms = CML.sync (CML.timeOutEvt (later ms))
fun show (name, b) = print (name ^ " " ^ Bool.toString b ^ "\n")
fun try (name, evt, aborted, force, new) =
  let
    val a = new (later 100)
    val () = show (name ^ ": at once", aborted a)
    val () = CML.select [CML.wrap (evt a, fn () => print "early\n"), CML.wrap (CML.timeOutEvt (later 50), fn () => print "not yet\n")]
    val () = CML.sync (evt a)
    val () = show (name ^ ": then", aborted a)
    val () = CML.sync (evt a)
    val b = new (later 1000000)
    val done = CML.channel ()
    val _ = List.tabulate (3, fn _ => CML.spawn (fn () => (CML.sync (evt b); CML.send (done, ()))))
    val () = (force b; force b)
    val () = List.app (fn () => CML.recv done) [(), (), ()]
    val () = show (name ^ ": forced", aborted b)
  in () end
val clock = TickAbort.start (later 40)
val () = try ("own", Abort.evt, Abort.aborted, Abort.force, Abort.new)
val () = try ("tick", TickAbort.evt, TickAbort.aborted, TickAbort.force, TickAbort.new clock)
val n = Abort.never ()
val () = show ("never", Abort.aborted n)
val () = Abort.force n
val () = CML.sync (Abort.evt n)
