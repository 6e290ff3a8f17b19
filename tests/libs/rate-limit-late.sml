(* The clock's thread wakes a little later than a token comes: in the virtual time of a seed each turn of a thread takes 5 us.
   What had come by then for threads that waited was thrown away where the bucket holds few tokens: 300 of them at 10,000 a
   second took 34 ms. *)
fun now () = Timer.checkRealTimer (Timer.totalRealTimer ())
fun took (limit, n) =
  let
    val start = now ()
    val threads = List.tabulate (n, fn _ => CML.spawn (fn () => RateLimit.take limit))
  in
    app (CML.sync o CML.joinEvt) threads;
    Time.- (now (), start)
  end
fun ms n = Time.fromMilliseconds n

val time = took (RateLimit.limit {tokens = 10000, per = Time.fromSeconds 1, burst = 1}, 300)
val () = print (if Time.< (time, ms 31) then "in time\n" else Time.toString time ^ " s\n")

(* and no more than that: what nobody took is in the bucket up to the burst *)
val limit = RateLimit.limit {tokens = 1000, per = Time.fromSeconds 1, burst = 3}
val () = OS.Process.sleep (ms 20)
val () = print (Int.toString (RateLimit.available limit) ^ "\n")
val () = print (if Time.>= (took (limit, 23), ms 20) then "not sooner\n" else "too many\n")
