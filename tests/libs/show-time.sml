(* Times in reports of tests: to the last digit, so that two that differ look different. *)
val () =
  app (fn ns => print (Show.time (Time.fromNanoseconds ns) ^ "\n"))
    [0, 1, 1500000000, 60000000000, 100000000, ~250000000, 1234567890123456789]
