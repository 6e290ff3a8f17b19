(* 'a stands unguarded in the first binding, so it is scoped at the whole declaration, and in `g` it is the same one,
   though it is guarded there. (4.6, rule 15)

   Expected (Poly/ML):  3
   Found:               refused: type/escape, at `[y]`. (With `val 'a f = ..` it is accepted.)

   compiler/elab/src/dec.rs, elab_val: each binding was searched for itself. Mended: the declaration is searched as a whole,
   and each binding has for itself those that occur anywhere in it (ty.rs, Unguarded::of_some). Then this, too, is
   refused as it must be: val f = fn (x : 'a) => x and g = let val h = fn (y : 'a) => y in (h 1, h true) end *)
val f = fn (x : 'a) => x
and g = fn y => let val h : 'a list = [y] in h end
val () = print (Int.toString (hd (g (f 3))) ^ "\n")
