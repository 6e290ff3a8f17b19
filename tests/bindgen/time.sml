(* The 30th day of November 2026, and a clock that only goes forwards. *)
val at = Vector.fromList [Int64.fromInt 1796000000]
val tm = Time.gmtime at
val () = print (String.concatWith " " (map Int.toString
  [1900 + Time.tm.get_tm_year tm, 1 + Time.tm.get_tm_mon tm, Time.tm.get_tm_mday tm]) ^ "\n")
val () = if Time.timegm tm = Vector.sub (at, 0) then () else print "another time\n"
val (a, b) = (Time.timespec.alloc (), Time.timespec.alloc ())
val now = fn t => ignore (Time.clock_gettime (Time.CLOCK_MONOTONIC, t))
val () = (now a; now b)
val seconds = Time.timespec.get_tv_sec
val () = print (Bool.toString (seconds a <= seconds b) ^ "\n")
