(* Poly/ML collects everything when it is asked. *)
structure Collect =
struct
  fun minor () = PolyML.fullGC ()
  fun all () = PolyML.fullGC ()
  fun nanoseconds timer = Time.toReal (Timer.checkGCTime timer) * 1E9
end
