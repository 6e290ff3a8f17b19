(* RateLimit gives exactly as many tokens as were asked for, however long it is used. The time of a token was cut to whole
   nanoseconds: of 600 million tokens a second there came a thousand million, and of three a second one more in 300 million. *)
fun now () = Timer.checkRealTimer (Timer.totalRealTimer ())
fun say t = print (Time.fmt 9 t ^ "\n")
(* how long it takes, from a bucket that is empty, to take so many, so often *)
fun takes (limit, n, times) =
  let
    val start = now ()
    fun go 0 = ()
      | go k = (CML.sync (RateLimit.takeManyEvt (limit, n)); go (k - 1))
  in
    go times;
    Time.- (now (), start)
  end
fun empty (tokens, per, burst) =
  let
    val limit = RateLimit.limit {tokens = tokens, per = per, burst = burst}
  in
    CML.sync (RateLimit.takeManyEvt (limit, burst));
    limit
  end
val second = Time.fromSeconds 1

(* ten tenths of a second *)
val () = say (takes (empty (600000000, second, 60000000), 60000000, 10))
(* Each token comes at the first nanosecond that is not too early, and the third one at a whole second. *)
val three = empty (3, second, 1)
val () = app (fn n => say (takes (three, 1, n))) [1, 1, 1, 297]
val three = empty (3, second, 300)
val () = say (takes (three, 300, 10))
(* 13 in 10 minutes, in threads that wait for one another *)
val odd = empty (13, Time.fromSeconds 600, 5)
val start = now ()
val threads = List.tabulate (26, fn k => CML.spawn (fn () => CML.sync (RateLimit.takeManyEvt (odd, 1 + k mod 2))))
val () = app (CML.sync o CML.joinEvt) threads
val () = say (Time.- (now (), start))

(* Numbers whose product no int has; the greatest rate, and the least. *)
val hour = Time.fromSeconds 3600
val many = empty (999999937, hour, 10000000)
val () = say (takes (many, 9999991, 2))
val () = say (takes (empty (1000000000, second, 1000), 1000, 1))
val () = say (takes (empty (1, hour, 1), 1, 2))

(* What is there at a moment is rounded down; a bucket that is full has no part of a token. *)
fun left limit = print (Int.toString (RateLimit.available limit) ^ "\n")
fun sleep t = OS.Process.sleep t
val seven = empty (7, second, 4)
val () = app (fn ms => (sleep (Time.fromMilliseconds ms); left seven)) [142, 1, 142, 1, 1000]
val () = CML.sync (RateLimit.takeManyEvt (seven, 4))
val () = app (fn n => (sleep (Time.fromNanoseconds n); left seven)) [142857142, 1, 142857142, 1]

fun refused (tokens, per, burst) =
  print (Bool.toString ((ignore (RateLimit.limit {tokens = tokens, per = per, burst = burst}); false) handle Size => true) ^ "\n")
val max = valOf Int.maxInt
val () = app refused
  [(1000000000, second, max div 3), (1000000001, second, 1), (0, second, 1), (1, Time.zeroTime, 1), (1, Time.fromSeconds ~1, 1), (1, second, 0),
   (max, Time.fromNanoseconds (Int.toLarge max), max), (max, Time.fromNanoseconds (Int.toLarge max), max div 3), (max - 1, Time.fromNanoseconds (Int.toLarge max), max)]
