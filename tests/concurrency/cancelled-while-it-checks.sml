(* Threads that have never waited ask Scope.check while their scope is cancelled by another worker. *)
fun compute n : unit = (Scope.check (); compute (n + 1))
fun round i =
  (Scope.run (fn s =>
     (List.app (fn _ => ignore (Scope.fork s (fn () => compute 0))) [1, 2, 3];
      OS.Process.sleep (Time.fromMicroseconds (Int.toLarge (300 + i mod 7 * 100)));
      Scope.cancel (s, Fail "enough")))
   handle Fail _ => ())
val () = List.app round (List.tabulate (300, fn i => i))
val () = print "all have ended\n"
