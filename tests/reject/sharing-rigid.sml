(* A structure with a type that is known already cannot share, not even with itself. *)
signature S = sig structure T : sig type t = int end sharing T = T end
