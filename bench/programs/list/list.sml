(* A3, the document's linked list by the document's own protocol: two runs for the steady state, a collection of
   everything, and one run that is timed. usage: list N

   Prints nanoseconds of the run, and how many of them the collector took by the system's own account (of its CPU time). *)

structure Main =
struct
  (* a function of its own, so that nothing holds the list afterwards *)
  fun build n =
    let
      fun loop 0 l = l
        | loop n l = loop (n - 1) (n :: l)
    in
      if length (loop n []) = n then () else raise Fail "a cell was lost"
    end

  fun run n = (build n; Collect.minor ())

  fun measure n =
    let
      val () = run n
      val () = run n
      val () = Collect.all ()
      val cpu = Timer.startCPUTimer ()
      val before' = Collect.nanoseconds cpu
      val timer = Timer.startRealTimer ()
      val () = run n
      val took = Time.toReal (Timer.checkRealTimer timer) * 1E9
      val collector = Collect.nanoseconds cpu - before'
      fun figure (name, x) = print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 0)) x ^ "\n")
    in
      figure ("list", took);
      figure ("collector", collector)
    end

  fun main () = measure (valOf (Int.fromString (List.last (CommandLine.arguments ()))))
end
