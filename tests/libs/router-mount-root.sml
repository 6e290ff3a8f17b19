(* HTTPRouter.mount "/" handler: all paths are for the handler.
   expected: ok.   found: Conflict: a pattern begins with a slash:
   Cause, lib/leat/http/router.sml, `mount`: partsOf "" is evaluated, and raises, before `if pattern = "/" then []` is asked.
   Mend (tried): router-mount-root.patch. *)
val () = (let val r = HTTPRouter.router [HTTPRouter.mount "/" (fn _ => HTTP.text 200 "x")] in print "ok\n" end)
  handle HTTPRouter.Conflict w => print ("Conflict: " ^ w ^ "\n")
