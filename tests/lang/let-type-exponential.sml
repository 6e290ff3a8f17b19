(* A `let` that declares a type, with a result whose type is a small graph and a large tree.

   Expected:  checked in some milliseconds, as without `datatype q = Q`
   Found:     4.5 s for these 23; twice as long for each `p` more

   compiler/elab/src/exp.rs, mentions_new_tyname. Mended: it remembers what it looked at. *)
val x =
  let
    datatype q = Q
    fun p x = (x, x)
  in
    (p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p o p) 1
  end
val () = print "x\n"
