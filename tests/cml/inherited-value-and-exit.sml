(* A `having` that CML.exit leaves is over: what is to be done before the thread ends finds the value that was there
   before. It found the inner one, which was put back by a handler of exceptions alone. *)
val name = Scope.inherited "nobody"
fun say where' = print (where' ^ ": " ^ Scope.valueOf name ^ "\n")
fun joined f = CML.sync (CML.joinEvt (CML.spawn f))
val () =
  joined (fn () =>
    Scope.finally
      (fn () =>
         Scope.having (name, "one") (fn () =>
           Scope.finally
             (fn () =>
                Scope.having (name, "two") (fn () =>
                  Scope.finally (fn () => (say "in both"; CML.exit ()), fn () => say "cleaning in both")),
              fn () => say "cleaning in one")),
       fn () => say "cleaning outside"))
val () =
  joined (fn () =>
    Scope.having (name, "one") (fn () =>
      (Scope.having (name, "two") (fn () => raise Div) handle Div => say "behind an exception";
       Scope.having (name, "two") (fn () => ());
       say "behind a return")))
