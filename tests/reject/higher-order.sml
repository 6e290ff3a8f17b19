(* SML/NJ's functors of functors: one message each. *)
signature S = sig type t end
functor F (functor G (X : S) : S) = struct end
functor H (X : S) = functor (Y : S) => struct end
funsig FS (X : S) = S
