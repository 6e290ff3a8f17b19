(* Type variables inside of an expression at top level, `val it = exp`. (4.6, rule 15)

   Expected (Poly/ML):  3
                        ok
   Found:               refused: the type variable `'a` is not bound

   compiler/elab/src/dec.rs, elab_it: only a type that is written at the whole expression was searched for type variables.
   Mended: Unguarded::in_exp. *)
(fn (x : 'a) => x);
val () = print (Int.toString (it 3) ^ "\n");
case nil : 'a list of
  nil => print "ok\n"
| _ :: _ => ();
