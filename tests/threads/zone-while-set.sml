(* A thread that had read TZ before another one set it could put the old zone back behind that, and then everybody had
   the old one for good: up to 22 of 3000 such changes were lost with two workers. *)
open CML

(* The zone has no file, so the text is the rule: so many hours west. *)
fun set hours = MLton.ProcEnv.setenv {name = "TZ", value = "XYZ" ^ Int.toString hours}
fun seen () = LargeInt.toInt (Time.toSeconds (Date.localOffset ()) div 3600)

val () = set 0
val over = SyncVar.iVar ()
fun read () = if isSome (SyncVar.iGetPoll over) then () else (ignore (seen ()); ignore (Date.fromTimeLocal Time.zeroTime); read ())
val readers = List.tabulate (3, fn _ => spawn read)

fun change (0, lost) = lost
  | change (n, lost) =
      let
        val hours = n mod 11 + 1
      in
        set hours;
        if n mod 16 = 0 then yield () else ();
        change (n - 1, if seen () = hours then lost else lost + 1)
      end
val lost = change (600, 0)
val () = SyncVar.iPut (over, ())
val () = app (sync o joinEvt) readers
val () = print (if lost = 0 then "none lost\n" else Int.toString lost ^ " lost\n")
