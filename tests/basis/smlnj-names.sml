(* Names that SML/NJ has and Leat had not, or with another type: programs did not compile. *)
structure S : SML_OF_NJ = SMLofNJ
fun line s = print (s ^ "\n")
val () = line (Bool.toString (Time.> (SMLofNJ.IntervalTimer.minInterval (), Time.zeroTime)))

(* the words of the command line, one after the other *)
val () =
  case SMLofNJ.getArgs () of
    [] => (SMLofNJ.shiftArgs (); line (Bool.toString (null (SMLofNJ.getArgs ()))))
  | all =>
      (SMLofNJ.shiftArgs ();
       line (Bool.toString (SMLofNJ.getArgs () = tl all andalso tl (SMLofNJ.getAllArgs ()) = all)))

(* weak pointers without a type *)
val text = ref "text"
val number = ref 5
val both = [SMLofNJ.Weak.weak' text, SMLofNJ.Weak.weak' number]
fun lost n = SMLofNJ.Weak.weak' (List.tabulate (n, fn i => i))
val l = lost 10
val () = SMLofNJ.Internals.GC.doGC 5
val () = line (String.concatWith " " (map (Bool.toString o SMLofNJ.Weak.strong') (l :: both)))
val () = (text := "kept"; number := 6; line (!text ^ Int.toString (!number)))

local
  open SMLofNJ.SysInfo
in
  val () = line (Bool.toString (getArchName () = getHostArch ()) ^ " " ^ Int.toString (getArchSize ()))
  val () = line (Bool.toString (hasSoftwarePolling () andalso hasMultiprocessing ()))
end
