(* The main program for MLton and Leat. *)
val () = OS.Process.exit (LightCML.main ("cml", CommandLine.arguments ()))
