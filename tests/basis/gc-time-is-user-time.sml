(* Timer.checkGCTime is the user time of the collector, as checkCPUTimes tells it; it had the system's time, too. *)
val timer = Timer.totalCPUTimer ()
fun grow (0, l) = l
  | grow (n, l) = grow (n - 1, Array.array (100000, n) :: l)
val kept = ref (grow (100, []))
val first = Timer.checkGCTime timer
val between = #usr (#gc (Timer.checkCPUTimes timer))
val last = Timer.checkGCTime timer
val () = print (Bool.toString (Time.<= (first, between) andalso Time.<= (between, last)) ^ "\n")
val () = kept := []
