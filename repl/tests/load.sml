(* Loaded by load.repl, as what a description names. *)
structure Loaded =
struct
  val seen = ref 0
  fun answer () = (seen := !seen + 1; 42)
end
