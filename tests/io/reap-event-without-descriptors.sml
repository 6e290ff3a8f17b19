(* Where no descriptor is left to wait for a child by, its event waits in another way: it happened at once, and the thread waited
   for the whole of the child's time. *)

val child : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sleep", ["1000"])
val () = (TextIO.closeIn (Unix.textInstreamOf child); TextIO.closeOut (Unix.textOutstreamOf child))
(* the poller is there *)
val () = OS.Process.sleep (Time.fromMilliseconds 10)
val held = ref []
fun use () = (held := Posix.IO.dup Posix.FileSys.stdout :: !held; use ())
val {hard, ...} = MLton.Rlimit.get MLton.Rlimit.numFiles
val () = MLton.Rlimit.set (MLton.Rlimit.numFiles, {hard = hard, soft = 0w40})
val () = use () handle OS.SysErr _ => ()
val what =
  CML.select [CML.wrap (Unix.reapEvt child, fn _ => "ended"),
              CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 300), fn () => "time-out")]
val () = print (what ^ "\n")
val () = Unix.kill (child, Posix.Signal.kill)
val () = OS.Process.exit OS.Process.success
