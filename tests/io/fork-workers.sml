(* A child of a program with several workers ends with its own code, and runs another program. It once waited for
   workers that are not there, for ever; now it has one worker, which has all that the others had. *)

structure P = Posix.Process
val ch : int CML.chan = CML.channel ()
(* make the second worker start *)
fun burn 0 = 0 | burn n = (burn (n - 1) + n) mod 7
val _ = List.tabulate (4, fn i => CML.spawn (fn () => CML.send (ch, burn 3000000 + i)))
val () = print (Int.toString (List.length (List.tabulate (4, fn _ => CML.recv ch))) ^ "\n")
fun child f =
  case P.fork () of
    NONE => (f (); P.exit 0w0)
  | SOME pid =>
      (case P.waitpid (P.W_CHILD pid, []) of
         (_, P.W_EXITED) => print "0\n"
       | (_, P.W_EXITSTATUS w) => print (Word8.fmt StringCvt.DEC w ^ "\n")
       | _ => print "signal\n")
val () = child (fn () => P.exit 0w7)
val () = child (fn () => ignore (OS.Process.exit OS.Process.failure))
val () = child (fn () => P.execp ("sh", ["sh", "-c", "exit 5"]))
