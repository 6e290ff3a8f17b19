(* Several threads reap one program, by `reap` and `reapEvt`: one got its status, the others "No child processes". *)
val child : (TextIO.instream, TextIO.outstream) Unix.proc =
  Unix.execute ("/bin/sh", ["-c", "sleep 0.1; exit 3"])
fun shown status =
  case Unix.fromStatus status of
    Unix.W_EXITSTATUS w => Word8.toString w
  | _ => "another status"
fun reap f = fn () => shown (f ()) handle e => exnMessage e
val ways = [fn () => Unix.reap child, fn () => CML.sync (Unix.reapEvt child)]
val results =
  Scope.run (fn scope =>
    List.map CML.sync (List.map (fn f => Scope.fork scope (reap f)) (ways @ ways @ ways)))
val () = print (String.concatWith " " results ^ "\n")
val () = print (shown (Unix.reap child) ^ "\n")
