(* RunCML.doit may be cancelled: that ends the program, and another one may begin; "CML is already running" was for
   good. *)
val _ = RunCML.addCleaner ("c", [RunCML.AtShutdown], fn _ => print "cleaner\n")
val r =
  Scope.within (Time.fromMilliseconds 20)
    (fn _ => RunCML.doit (fn () => OS.Process.sleep (Time.fromSeconds 60), NONE))
val () = print (if isSome r then "SOME\n" else "NONE\n")
val () = print (Bool.toString (RunCML.isRunning ()) ^ "\n")
val s =
  RunCML.doit (fn () => RunCML.shutdown OS.Process.success, NONE)
  handle Fail m => (print (m ^ "\n"); OS.Process.failure)
val () = print (Bool.toString (OS.Process.isSuccess s) ^ "\n")
