structure Collect =
struct
  fun minor () = SMLofNJ.Internals.GC.doGC 0
  fun all () = SMLofNJ.Internals.GC.doGC 10
  fun nanoseconds (_ : Timer.cpu_timer) = real (Leat.GC.minorNanoseconds () + Leat.GC.majorNanoseconds ())
end
