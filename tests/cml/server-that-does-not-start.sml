(* A server of RunCML whose start raises.

   Expected: "Fail: start", "runs", "success". Found: "Fail: start", "Fail: CML is already running".

   `run` in lib/cml/run-cml.sml notes that a program runs before it calls what was registered (`starting`), and took
   that back at the program's end only. Mended there. *)
val () = RunCML.logServer ("bad", fn () => raise Fail "start", fn () => ())
val () = ignore (RunCML.doit (fn () => (), NONE)) handle e => print (exnMessage e ^ "\n")
val () = RunCML.unlogServer "bad"
fun main () = (print "runs\n"; RunCML.shutdown OS.Process.success)
val () =
  print (if OS.Process.isSuccess (RunCML.doit (main, NONE)) then "success\n" else "failure\n")
  handle e => print (exnMessage e ^ "\n")
