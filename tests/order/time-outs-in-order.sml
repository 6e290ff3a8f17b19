(* The order in which time-outs expire. By the runtime's clock, which stands while a thread runs: by the real one threads
   whose time-outs are 40 ms apart came in another order, where the machine had other things to do. *)
open CML
fun ms n = Time.fromMilliseconds (LargeInt.fromInt n)
val clock = Timer.startRealTimer ()
fun sleeper (name, event) =
  spawn (fn () => (sync event; print (concat [name, " ", Time.fmt 3 (Timer.checkRealTimer clock), "\n"])))
fun join threads = app (fn t => sync (joinEvt t)) threads
val () =
  join (map sleeper [("c", timeOutEvt (ms 90)), ("a", timeOutEvt (ms 10)), ("b", timeOutEvt (ms 50)),
                     ("d", choose [timeOutEvt (ms 91), timeOutEvt (ms 200)]),
                     ("e", choose [timeOutEvt (ms 200), timeOutEvt (ms 92)])])
(* of the threads below those of CML *)
val main = Thread.self ()
val left = ref 3
fun sleeps (name, time) =
  ignore (Thread.spawn (fn () =>
    (Thread.sleep (ms time);
     print name;
     left := !left - 1;
     if !left = 0 then (print "\n"; Thread.ready main) else ())))
val () = app sleeps [("z", 250), ("x", 20), ("y", 120)]
val () = Thread.park 0
(* the earlier of one choice *)
val () = print (Int.toString (select [wrap (timeOutEvt (ms 80), fn () => 1), wrap (timeOutEvt (ms 5), fn () => 2)]) ^ "\n")
(* the same time: as they were asked for *)
val () = join (map (fn s => sleeper (s, timeOutEvt (ms 10))) ["f", "g", "h"])
