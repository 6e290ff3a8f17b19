(* What stays open by value polymorphism "may be settled by any later declaration of the unit" (docs/internals/ir/core.md),
   but not when a functor stands between.

   Expected:  1   (as without the functor; rule 15 may choose int list ref. Poly/ML and SML/NJ refuse it, also without)
   Found:     refused: `r := [1]`, "this expects `unit list`"

   compiler/elab/src/module.rs, elab_functor: `closing` finished all open variables of the unit, and finish_decs the types
   of all variables so far: every open type became unit, whether the functor mentions it or not. Mended: only the
   functor's own variables, and what its body or result mentions. The same for records of which not all fields are known
   (`val f = fn r => #a r`, a functor, `f {a = 1, b = 2}`; definition.md, Units) is not mended: settle_flexible. *)
val r = ref nil
functor F () = struct val y = 1 end
val () = r := [1]
val () = print (Int.toString (hd (!r)) ^ "\n")
