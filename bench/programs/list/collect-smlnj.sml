structure Collect =
struct
  fun minor () = SMLofNJ.Internals.GC.doGC 0
  fun all () = SMLofNJ.Internals.GC.doGC 10
  fun nanoseconds timer = Time.toReal (Timer.checkGCTime timer) * 1E9
end
