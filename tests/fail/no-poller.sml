(* A program that uses up its descriptors before it waits for the first time: it ended with a panic of the runtime. *)
val () = let open MLton.Rlimit in set (numFiles, {hard = #hard (get numFiles), soft = 0w40}) end
val kept = ref []
fun open' () = (kept := TextIO.openIn "/dev/null" :: !kept; open' ())
val () = open' () handle e => print (exnMessage e ^ "\n")
val () = OS.Process.sleep (Time.fromSeconds 100)
val () = print "slept\n"
