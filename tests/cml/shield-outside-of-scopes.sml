(* `Scope.isShielded` in a `shield`, and in the clean-up of a `finally`, of a thread that has never been in a scope: it
   was false there, since such a thread had no place to note it. A scope in a shield begins unshielded. *)
fun say (what, is) = print (what ^ " " ^ Bool.toString is ^ "\n")
fun all () =
  (say ("at first", Scope.isShielded ());
   say ("in a shield", Scope.shield Scope.isShielded);
   say ("in two", Scope.shield (fn () => (Scope.shield (fn () => ()); Scope.isShielded ())));
   (Scope.shield (fn () => raise Div) handle Div => ());
   say ("behind one that raised", Scope.isShielded ());
   Scope.finally (fn () => say ("in a function", Scope.isShielded ()),
                  fn () => say ("in its clean-up", Scope.isShielded ()));
   say ("in a scope in a shield", Scope.shield (fn () => Scope.run (fn _ => Scope.isShielded ())));
   say ("behind that", Scope.isShielded ()))
val () = all ()
val () = CML.sync (CML.joinEvt (CML.spawn all))
