(* For systems whose counters are not at hand. *)
structure Cause = struct fun since () = "not known" end
