(* Numbers that are too large for the system are refused; their upper bits were cut off, so that a signal went to the
   process group. *)
val () =
  print ((case NetServDB.getByPort (65616, NONE) of NONE => "none" | SOME entry => NetServDB.name entry) ^ "\n")
val () =
  (Posix.Process.kill (Posix.Process.K_PROC (Posix.Process.wordToPid 0wx100000000), Posix.Signal.fromWord 0w0);
   print "sent\n")
  handle OS.SysErr (text, _) => print (text ^ "\n")
