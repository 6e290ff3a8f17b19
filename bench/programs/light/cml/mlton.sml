val () = OS.Process.exit (LightCML.main ("mlton", CommandLine.arguments ()))
