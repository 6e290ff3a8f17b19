(* A constructor for equality types alone does not match one for all types (Definition, 5.5). It was accepted, and S.T applied to a
   function. *)

structure S :> sig datatype 'a t = T of 'a end = struct datatype ''a t = T of ''a end
val S.T f = S.T (fn x => x + 1)
val () = print (Int.toString (f 3) ^ "\n")
