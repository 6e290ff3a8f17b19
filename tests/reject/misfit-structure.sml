(* Values of structures that miss their signature, used with arguments that do not fit: the message asked for the name of
   a variable that was not there, and `leat check` panicked. *)
signature S = sig val f : int -> int exception E of int structure A : sig val g : int -> int structure B : sig val h : int -> int end end end
structure H : S = struct end
structure K : S = struct structure A = struct structure B = struct val h = "a" end end end
structure L : S = Missing
structure M :> S = Missing
functor F (X : S) = struct val z = X.f "a" val w = X.A.B.h "b" end
val x = H.f "a" val y = raise H.E "a" handle H.E s => s ^ "a" val z = H.A.g "a" val w = H.A.B.h "b"
val x = K.f "a" val y = raise K.E "a" handle K.E s => s ^ "a" val z = K.A.g "a" val w = K.A.B.h "b"
val x = L.f "a" val y = raise L.E "a" handle L.E s => s ^ "a" val z = L.A.g "a" val w = L.A.B.h "b"
val x = M.f "a" val y = raise M.E "a" handle M.E s => s ^ "a" val z = M.A.g "a" val w = M.A.B.h "b"
structure G = F (H)
val _ = G.z "a"
