(* Functions that exit functions register are ignored, as the Basis says; they ran, so that a program whose exit function
   registers itself never ended. A stream that an exit function opens is written all the same. *)
val n = ref 0
fun again () =
  (n := !n + 1;
   print ("again " ^ Int.toString (!n) ^ "\n");
   if !n < 1000 then OS.Process.atExit again else ())
val name = OS.FileSys.tmpName ()
(* the last: it sees what the one before has written *)
val () = OS.Process.atExit (fn () => (print (TextIO.inputAll (TextIO.openIn name)); OS.FileSys.remove name))
val () =
  OS.Process.atExit (fn () =>
    (OS.Process.atExit (fn () => print "never\n");
     ignore (CML.spawn (fn () => OS.Process.atExit (fn () => print "never, by a thread\n")));
     let val out = TextIO.openOut name in TextIO.output (out, "written\n"); TextIO.closeOut out end))
val () = OS.Process.atExit again
val () = OS.Process.atExit (fn () => raise Fail "the others run")
val () = OS.Process.atExit (fn () => print "first\n")
