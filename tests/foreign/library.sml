(* A library for C: library_main.c calls it. *)
val () = print ("opened with " ^ (case CommandLine.arguments () of [a, b] => "two words\n" | _ => "other words\n"))
val () = OS.Process.atExit (fn () => print "closing\n")

val add = _export "sml_add" : (int * int -> int) -> unit;
val () = add op +
(* waits for another thread, which exists between two calls *)
val next = _export "sml_next" : (int -> int) -> unit;
val fail = _export "sml_fail" : (unit -> int) -> unit;
val () = fail (fn () => raise Fail "gone")

val ask : (int * int CML.chan) CML.chan = CML.channel ()
fun serve () = let val (n, reply) = CML.recv ask in CML.send (reply, n); serve () end
val _ = CML.spawn serve
val () = next (fn n => let val reply = CML.channel () in CML.send (ask, (n, reply)); CML.recv reply end)
