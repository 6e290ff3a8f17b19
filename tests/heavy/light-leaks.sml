(* No style leaks: a Kahn process network that runs for long stays as small as it was. Promises that are not linked leak, and
   the event queue's handlers did when each that was removed pointed at the next: 120 MB for 100,000 numbers. *)

val () = Leat.GC.setNursery (1024 * 1024)

fun test (name, {kpn, ...} : Styles.networks, _) =
  let
    val result = kpn 50000
    val peak = Leat.GC.peakHeapBytes ()
  in
    print (name ^ " " ^ Int.toString result ^
           (if peak < 24 * 1024 * 1024 then " ok\n" else ": " ^ Int.toString peak ^ " bytes\n"))
  end

val () = List.app test Styles.all
