(* Nanoseconds in the collector since the start of the program: in Leat. *)
structure Collector =
struct
  fun nanoseconds () = Leat.GC.minorNanoseconds () + Leat.GC.majorNanoseconds ()
end
