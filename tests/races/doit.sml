(* When RunCML.doit has returned because no thread can run any more, all that its threads did came before: no lock and no
   message says so, and that was reported. One thread ends, one is blocked for good. *)
val n = ref 0
val m = ref 0
fun program () =
  (n := 1;
   ignore (CML.spawn (fn () => (CML.yield (); n := 2)));
   CML.sync (CML.joinEvt (CML.spawn (fn () => (m := 1; CML.sync CML.never)))))
fun run () = ignore (RunCML.doit (fn () => ignore (CML.spawn program), NONE))
val () = (run (); n := !n + 1; m := !m + 1; run ())
val () = print (Int.toString (!n + !m) ^ "\n")
