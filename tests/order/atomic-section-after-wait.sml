(* A thread that waits in an atomic section has left it, and the end of the section behind it is that of none: the depth
   was below 0, so later sections were none, and then all that followed was one. *)
val total = ref 0
fun slow 0 = () | slow n = slow (n - 1)
fun work 0 = ()
  | work n =
      (MLton.Thread.atomically (fn () => let val t = !total in slow 1000; total := t + 1 end);
       work (n - 1))
fun waits () = MLton.Thread.atomically (fn () => OS.Process.sleep (Time.fromMilliseconds 5))
val threads = List.tabulate (2, fn _ => CML.spawn (fn () => (waits (); work 2000)))
val () = app (CML.sync o CML.joinEvt) threads
val () = print (Int.toString (!total) ^ "\n")

val () = waits ()
val () = CML.yield ()
val () = ignore (CML.spawn (fn () => ()))
val () =
  print (case MLton.Thread.atomicState () of
           MLton.Thread.AtomicState.NonAtomic => "non-atomic\n"
         | MLton.Thread.AtomicState.Atomic n => "Atomic " ^ Int.toString n ^ "\n")
val () = TextIO.flushOut TextIO.stdOut
val flag = ref false
val () = ignore (CML.spawn (fn () => (CML.yield (); flag := true)))
fun loop () = if !flag then () else loop ()
val () = loop ()
val () = print "end\n"
