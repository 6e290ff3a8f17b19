(* The same in MLton, which counts it by processor time, if it is asked to. *)
structure Collector =
struct
  val () = MLton.Rusage.measureGC true
  fun nanoseconds () =
    let val {gc = {utime, stime}, ...} = MLton.Rusage.rusage ()
    in LargeInt.toInt (Time.toNanoseconds (Time.+ (utime, stime))) end
end
