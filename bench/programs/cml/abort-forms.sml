(* A7-forms: n connections, each guarded by an abort that is made anew for each message and nearly never happens, in three
   forms: an event of a time-out of its own, which is cancelled; a tick that one thread keeps for all; a thread for each.
   Prints nanoseconds of a message to a connection and its next abort, and what is left of an abort when it is not needed
   any more: bytes of the heap. *)

structure AbortForms =
struct
  val n = Bench.argument 100000
  val rounds = 3
  val limit = Time.fromSeconds 100

  (* a thread that sleeps and then fills a variable *)
  fun threadEach () =
    let val abort = SyncVar.iVar ()
    in
      ignore (CML.spawn (fn () => (CML.sync (CML.timeOutEvt limit); SyncVar.iPut (abort, ()))));
      SyncVar.iGetEvt abort
    end

  (* `guard ()` is the event of a new abort. *)
  fun measure (name, guard) =
    let
      val answers = ref 0
      fun connection input () =
        (CML.select [CML.recvEvt input, CML.wrap (guard (), fn () => raise Fail "too late")];
         answers := !answers + 1;
         connection input ())
      val inputs = Vector.tabulate (n, fn _ => CML.channel () : unit CML.chan)
      val () = Vector.app (fn input => ignore (CML.spawn (connection input))) inputs
      fun round () = Vector.app (fn input => CML.send (input, ())) inputs
      val () = round ()
      val before' = (MLton.GC.collect (); Leat.GC.liveBytes ())
      fun timed () =
        let val start = Bench.now ()
        in round (); (Bench.now () - start) / real n end
      val best = List.foldl Real.min Real.posInf (List.tabulate (rounds, fn _ => timed ()))
      val after = (MLton.GC.collect (); Leat.GC.liveBytes ())
    in
      if !answers = n * (rounds + 1) then () else raise Fail "a message was lost";
      Bench.figure (name, best);
      Bench.figure (name ^ "-left", Real.max (0.0, real (after - before') / real (n * rounds)))
    end

  fun main () =
    let val clock = TickAbort.start (Time.fromSeconds 1)
    in
      measure ("unguarded", fn () => CML.never);
      measure ("cancelled", fn () => Abort.evt (Abort.new limit));
      measure ("shared-tick", fn () => TickAbort.evt (TickAbort.new clock limit));
      measure ("thread-each", threadEach)
    end

  val () = Bench.run main
end
